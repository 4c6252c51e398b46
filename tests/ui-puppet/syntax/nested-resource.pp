class a {
  file { '/a':
    ensure => file,
    package { 'x': }
  }
}
