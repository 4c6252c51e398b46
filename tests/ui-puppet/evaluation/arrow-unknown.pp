package { 'ntp': }
Package['ntp'] -> Service['ntpd']
