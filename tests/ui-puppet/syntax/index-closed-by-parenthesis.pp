$l = [1, 2, 3]
notice($l[0)
