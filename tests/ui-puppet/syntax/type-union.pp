class c(String|Integer $a) { }
