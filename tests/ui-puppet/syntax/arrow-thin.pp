file { '/a': ensure -> file }
