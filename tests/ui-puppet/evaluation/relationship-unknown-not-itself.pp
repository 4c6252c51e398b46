file { '/a': ensure => file, require => File['/b'] }
