$x = join ['a', 'b'], ','
