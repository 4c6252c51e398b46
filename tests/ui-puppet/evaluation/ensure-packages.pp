ensure_packages(['x'])
