$x = 1
if $x == 1 { notice('a') } elseif $x == 2 { notice('b') } else { notice('c') }
