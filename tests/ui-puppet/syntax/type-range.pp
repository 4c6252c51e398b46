class c(Integer[1..5] $a) { }
