$h = { 'a' => { 'b' => 1 } }
notice($h['x']['b'])
