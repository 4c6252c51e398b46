class a(Struct[{'port' => Integer, Optional['host'] => String}] $x) { }
class { 'a': x => { 'prot' => 80 } }
