$x = joinn(['a'], ',')
