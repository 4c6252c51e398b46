realize(User['bob'])
