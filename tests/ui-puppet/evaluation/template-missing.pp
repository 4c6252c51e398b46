file { '/a': content => template('mod/x.erb') }
