service { 'ntp': require => package['ntp'] }
