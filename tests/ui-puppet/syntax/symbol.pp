$x = :foo
