file { '/etc/motd':
  content => 'hello,
  mode => '0644',
}
