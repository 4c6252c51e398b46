include ntp, banner, report

Class['ntp'] -> Class['banner'] ~> Class['report']

# The files belong to the user that applies them.
File <| |> {
  owner => undef,
  group => undef,
}
