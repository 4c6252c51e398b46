class web($port, $host) { }
include web
