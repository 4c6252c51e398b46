node { 'x': }
