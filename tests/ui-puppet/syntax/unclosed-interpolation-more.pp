$x = 1
notice("value: ${x and more")
notice('b')
