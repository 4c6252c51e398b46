node { notice('x') }
