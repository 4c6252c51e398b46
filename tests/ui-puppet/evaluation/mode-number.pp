file { '/a': mode => 644 }
