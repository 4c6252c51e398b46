$x = undef
$x.each |$y| { notice($y) }
