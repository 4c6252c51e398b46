$x = 1
case $x {
  1 => notice('a'),
  default => notice('b'),
}
