class c(Array[String] $n) { }
class { 'c': n => 'one' }
