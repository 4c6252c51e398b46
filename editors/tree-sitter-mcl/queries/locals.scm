; Scopes. The parameters of a class or function and the variables of a loop belong to its own scope.
[
  (source_file)
  (block)
  (class_definition)
  (function_definition)
  (function)
  (for_statement)
  (forkv_statement)
] @local.scope

; Definitions.
(bind name: (variable_definition (variable_name) @local.definition))
(parameter name: (variable_definition (variable_name) @local.definition))
(for_statement index: (variable_definition (variable_name) @local.definition))
(for_statement value: (variable_definition (variable_name) @local.definition))
(forkv_statement key: (variable_definition (variable_name) @local.definition))
(forkv_statement value: (variable_definition (variable_name) @local.definition))

; References.
(variable (variable_name) @local.reference)
(interpolation (variable_name) @local.reference)
