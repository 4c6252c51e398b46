(class_definition name: (class_name) @name) @definition.class
(function_definition name: (function_name) @name) @definition.function
(source_file (bind name: (variable_definition (variable_name) @name)) @definition.constant)

(include class: (class_name) @name) @reference.class
(call function: (function_name) @name) @reference.call
