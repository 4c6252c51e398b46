function f($x) { f($x) }
f(1)
