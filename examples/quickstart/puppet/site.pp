# Still Puppet: the clock, storage, an application and its monitoring. The Java module between storage and application has
# moved to mcl; two empty classes, the merge points, take its place.
#
# All paths are in one directory, so the example runs anywhere and without root. `catalog.json` is this manifest, compiled by
# Puppet 7:
#
#     puppet catalog compile --certname quickstart --manifest site.pp --render-as rich_data_json
$root = '/SCRATCH'

class mgmt_java_begin { }
class mgmt_java_end { }

class clock {
  file { "${::root}/etc": ensure => directory }
  file { "${::root}/etc/chrony.conf":
    ensure  => file,
    mode    => '0644',
    content => "pool pool.example.com iburst\n",
  }
  exec { 'restart chrony':
    command     => "/usr/bin/touch ${::root}/chrony-restarted",
    refreshonly => true,
    subscribe   => File["${::root}/etc/chrony.conf"],
  }
}

class storage {
  file { "${::root}/pool": ensure => directory }
  exec { 'format pool':
    command => "/usr/bin/touch ${::root}/pool/.formatted",
    creates => "${::root}/pool/.formatted",
    require => File["${::root}/pool"],
  }
}

class application {
  file { "${::root}/pool/app.jar": ensure => file, content => "not really a jar\n" }
}

class monitoring {
  file { "${::root}/etc/monitor.conf": ensure => file, content => "check app.jar\n" }
}

include clock, storage, mgmt_java_begin, mgmt_java_end, application, monitoring

Class['clock'] -> Class['storage'] -> Class['mgmt_java_begin']
Class['mgmt_java_end'] -> Class['application']
Class['mgmt_java_end'] -> Class['monitoring']
