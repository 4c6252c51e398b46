class c(Array(String) $a) { }
