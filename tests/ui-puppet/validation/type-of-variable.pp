Integer $n = 1
String[1] $m = 'abc'
