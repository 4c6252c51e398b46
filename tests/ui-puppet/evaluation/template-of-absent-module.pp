file { '/etc/a': content => template('absent/b.erb') }
file { '/etc/b': content => epp('c.epp') }
