$h = { 'a' => 1, 'b' => 2 }
notice($h.a)
