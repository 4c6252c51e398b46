file { '/a': ensur => file, contents => 'x', mode => '0644' }
