if 'A' =~ /a/i { notice('x') }
