$x = Integr('1')
