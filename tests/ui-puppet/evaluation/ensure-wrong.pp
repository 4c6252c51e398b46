service { 'x': ensure => runnning }
