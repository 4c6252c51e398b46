$x = join()
