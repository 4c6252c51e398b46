define web(Integer $port, Enum['a','b'] $mode = 'a') { }
web { 'x': port => 'http', mode => 'c' }
