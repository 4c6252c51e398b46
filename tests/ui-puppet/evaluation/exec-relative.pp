exec { 'x': command => 'ls -l' }
