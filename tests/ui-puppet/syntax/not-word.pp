if not $facts { notice('x') }
