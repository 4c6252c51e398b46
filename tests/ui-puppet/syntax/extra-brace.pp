class web {
  package { 'nginx': ensure => installed }
}
}
