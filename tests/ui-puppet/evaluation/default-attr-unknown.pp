File { ensur => file }
file { '/a': }
