class a(Strin $x) { }
class { 'a': x => 'b' }
