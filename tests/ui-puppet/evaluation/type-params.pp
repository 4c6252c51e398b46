class a(Integer['a'] $x) { }
class { 'a': x => 1 }
