$x = lookup('nokey')
