while true { notice('x') }
