include a, b, c
