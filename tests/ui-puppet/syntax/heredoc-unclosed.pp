$x = @(EOT)
  hello
notice($x)
