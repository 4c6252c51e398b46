class a {
  fil { 'x': }
  $port = 1 + 'x'
  notice("port ${port}")
  service { 's': ensure => running, port => $port }
}
class b {
  include a
  notice($a::port)
  package { 'p': require => Service['s'] }
  unless defined(Service['s']) { fail('no service') }
}
class c { file { '/c': ensur => 1 } }
include b
include c
