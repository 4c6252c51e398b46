class broken {
  file { '/etc/x'
    ensure => file,
  }
}
$a = = 1
if $a {
  $b = [1 2]
}
