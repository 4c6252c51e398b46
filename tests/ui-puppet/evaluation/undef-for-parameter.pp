class c(String $n) { }
class { 'c': n => undef }
