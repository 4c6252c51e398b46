file { ['/a', '/b': ensure => directory }
