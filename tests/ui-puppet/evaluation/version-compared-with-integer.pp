$v = '1.2.3'
if $v > 1 { notice('newer') }
