file { '/etc/motd': mode => 0644 }
