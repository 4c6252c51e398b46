$x = True
