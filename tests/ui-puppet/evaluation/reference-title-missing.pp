service { 'x': require => Package }
