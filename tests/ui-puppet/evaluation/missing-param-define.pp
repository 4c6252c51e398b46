define web($port, $host) { }
web { 'a': }
web { 'b': port => 1 }
