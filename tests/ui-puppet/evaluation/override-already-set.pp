file { '/a': mode => '0644' }
File['/a'] { mode => '0600' }
