$x = 1
if $x == 1 { notice('a') } else if $x == 2 { notice('b') }
