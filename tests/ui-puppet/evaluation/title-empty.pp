file { '': ensure => file }
