package { 'ntp' ensure => installed }
