[
  (block)
  (expression_block)
  (resource_body)
  (list)
  (map)
  (struct)
  (arguments)
  (parameters)
] @indent

["}" "]" ")"] @outdent
