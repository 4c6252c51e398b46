; Each token has one pattern, so that it does not matter whether an editor prefers the first or the last match.

(comment) @comment

; Keywords.
["class" "include" "panic" "collect" "as"] @keyword
["if" "else"] @keyword.conditional
["for" "forkv"] @keyword.repeat
(for_statement "in" @keyword.repeat)
(forkv_statement "in" @keyword.repeat)
"func" @keyword.function
"import" @keyword.import
["and" "or" "not"] @keyword.operator
(binary operator: "in" @keyword.operator)

; Values.
(boolean) @boolean
(integer) @number
(float) @number.float
(string "\"" @string)
(string_content) @string
(escape) @string.escape
(interpolation ["${" "}"] @punctuation.special)

; Types.
(primitive_type) @type.builtin
(map_type "map" @type.builtin)
(struct_type "struct" @type.builtin)
(struct "struct" @type.builtin)

; Names.
(interpolation (variable_name) @variable)
(variable "$" @variable)
(variable (variable_name) @variable)
(bind (variable_definition) @variable)
(for_statement (variable_definition) @variable)
(forkv_statement (variable_definition) @variable)
(parameter (variable_definition) @variable.parameter)
(type_parameter (variable_definition) @variable.parameter)
(function_definition name: (function_name) @function)
(call function: (function_name (identifier) @function.call))
(class_definition name: (class_name) @type)
(include class: (class_name (identifier) @type))
(namespace) @module
(function_name "." @punctuation.delimiter)
(class_name ["." ":"] @punctuation.delimiter)
(wildcard) @operator

; Resources.
(kind) @type
(capitalized_kind) @type
(field name: (field_name) @property)
(reference field: (field_name) @property)
(struct_field name: (field_name) @property)
(type_field name: (field_name) @property)
(lookup field: (field_name) @property)
(property) @attribute
(meta_parameter) @attribute

; Punctuation.
["=" "=>" "->" "?:" "<|>" "||" "+" "-" "*" "/" "==" "!=" "<" ">" "<=" ">="] @operator
["(" ")" "[" "]"] @punctuation.bracket
(block ["{" "}"] @punctuation.bracket)
(expression_block ["{" "}"] @punctuation.bracket)
(resource_body ["{" "}"] @punctuation.bracket)
(map ["{" "}"] @punctuation.bracket)
(struct ["{" "}"] @punctuation.bracket)
(map_type ["{" "}"] @punctuation.bracket)
(struct_type ["{" "}"] @punctuation.bracket)
["," ";"] @punctuation.delimiter
(meta_field ":" @attribute)
(map_type ":" @punctuation.delimiter)
