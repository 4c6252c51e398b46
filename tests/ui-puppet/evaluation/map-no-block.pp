$x = [1,2].map
