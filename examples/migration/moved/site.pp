include ntp, mgmt_banner, mgmt_report, report

# What has moved to mcl is between these two.
class mgmt_banner { }
class mgmt_report { }
Class['ntp'] -> Class['mgmt_banner']
Class['mgmt_report'] ~> Class['report']

# The files belong to the user that applies them.
File <| |> {
  owner => undef,
  group => undef,
}
