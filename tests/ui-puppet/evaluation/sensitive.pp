$x = Sensitive('a')
notice("x${x + 1}")
