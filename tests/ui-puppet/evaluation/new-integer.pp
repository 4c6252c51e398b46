$x = Integer('abc')
