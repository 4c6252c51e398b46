$a = ['x', 'y'
notice($a)
