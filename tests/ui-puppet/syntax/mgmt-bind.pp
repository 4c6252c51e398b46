$x = 1
file "/etc/motd" {
  content => "x",
}
