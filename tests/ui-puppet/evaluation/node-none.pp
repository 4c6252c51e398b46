node 'other' { notice('x') }
