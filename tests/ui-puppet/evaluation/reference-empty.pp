service { 'x': require => Package[] }
