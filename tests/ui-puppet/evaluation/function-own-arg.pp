function add(Integer $a, Integer $b) >> Integer { $a + $b }
notice(add(1, '2'))
notice(add(1))
