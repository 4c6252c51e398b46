def foo($x) { $x }
