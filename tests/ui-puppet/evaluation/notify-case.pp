file { '/a': notify => service['x'] }
