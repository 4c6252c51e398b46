class a(Array[Integer] $x) { }
class { 'a': x => [1, 'b', 3] }
