[
  (block)
  (expression_block)
  (resource_body)
  (list)
  (map)
  (struct)
  (arguments)
  (parameters)
  (string)
] @fold
