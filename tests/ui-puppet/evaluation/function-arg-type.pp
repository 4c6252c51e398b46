$x = join('a', 1)
