package { 'ntp': }
service { 'ntp': require => Package ['ntp'] }
