define d($a) { }
d { 'x': $a => 1 }
