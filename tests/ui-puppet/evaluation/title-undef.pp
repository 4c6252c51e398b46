file { undef: ensure => file }
