[
  (block)
  (expression_block)
  (resource_body)
  (list)
  (map)
  (struct)
  (arguments)
  (parameters)
] @indent.begin

["}" "]" ")"] @indent.branch @indent.end

; A string may go over several lines, which belong to its value.
(string) @indent.ignore
