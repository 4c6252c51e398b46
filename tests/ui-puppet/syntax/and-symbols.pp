if $a && $b { notice('x') }
