class c(Struct[{ name => String, port => Integer }] $o) { }
class { 'c': o => { name => 'a', prot => 1 } }
