fil { '/a': ensure => file }
pakage { 'x': ensure => present }
servicee { 'x': ensure => running }
