class c(Enum['present', 'absent'] $ensure) { }
class { 'c': ensure => 'presnt' }
