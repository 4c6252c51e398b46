class c(String? $a) { }
