package { 'ntp': }
file { '/a': require => Package['npt'] }
file { '/b': notify => Service['x'] }
