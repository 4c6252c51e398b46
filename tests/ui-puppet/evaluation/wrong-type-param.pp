class web(Integer $port) { }
class { 'web': port => '80' }
