$x = undef
notice($x['a'])
