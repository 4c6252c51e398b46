file { '/a': * => 'x' }
