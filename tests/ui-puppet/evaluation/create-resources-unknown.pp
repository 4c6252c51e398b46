create_resources('fil', { '/a' => { ensure => file } })
