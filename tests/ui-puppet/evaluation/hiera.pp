$x = hiera('nokey')
