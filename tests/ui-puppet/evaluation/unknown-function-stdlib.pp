$x = merge_hashes({}, {})
