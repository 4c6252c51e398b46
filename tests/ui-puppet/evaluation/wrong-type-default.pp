class web(Integer $port = 'x') { }
include web
