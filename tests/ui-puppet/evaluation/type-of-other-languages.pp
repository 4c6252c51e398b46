class a(Int $x) { }
class { 'a': x => 1 }
