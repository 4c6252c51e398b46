class a(Enum[1,2] $x) { }
class { 'a': x => 1 }
