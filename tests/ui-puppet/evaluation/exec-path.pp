exec { 'ls': }
