file { '/etc/motd':
  ensure => file,

service { 'ntp':
  ensure => running,
}
