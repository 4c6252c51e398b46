service { 'x': enable => 'yes' }
