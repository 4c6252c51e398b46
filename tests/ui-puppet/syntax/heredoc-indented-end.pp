$x = @(EOT)
  hello
  | EOTT
notice($x)
