file { '/a': ensur => file }
