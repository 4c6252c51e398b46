file { '/a': mode => , owner => 'root' }
