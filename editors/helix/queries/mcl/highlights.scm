; As editors/tree-sitter-mcl/queries/highlights.scm, with the names that the themes of Helix have.

(comment) @comment.line

["class" "include" "panic" "collect" "as"] @keyword
["if" "else"] @keyword.control.conditional
["for" "forkv"] @keyword.control.repeat
(for_statement "in" @keyword.control.repeat)
(forkv_statement "in" @keyword.control.repeat)
"func" @keyword.function
"import" @keyword.control.import
["and" "or" "not"] @keyword.operator
(binary operator: "in" @keyword.operator)

(boolean) @constant.builtin.boolean
(integer) @constant.numeric.integer
(float) @constant.numeric.float
(string "\"" @string)
(string_content) @string
(escape) @constant.character.escape
(interpolation ["${" "}"] @punctuation.special)

(primitive_type) @type.builtin
(map_type "map" @type.builtin)
(struct_type "struct" @type.builtin)
(struct "struct" @type.builtin)

(interpolation (variable_name) @variable)
(variable "$" @variable)
(variable (variable_name) @variable)
(bind (variable_definition) @variable)
(for_statement (variable_definition) @variable)
(forkv_statement (variable_definition) @variable)
(parameter (variable_definition) @variable.parameter)
(type_parameter (variable_definition) @variable.parameter)
(function_definition name: (function_name) @function)
(call function: (function_name (identifier) @function))
(class_definition name: (class_name) @type)
(include class: (class_name (identifier) @type))
(namespace) @namespace
(function_name "." @punctuation.delimiter)
(class_name ["." ":"] @punctuation.delimiter)
(wildcard) @operator

(kind) @type
(capitalized_kind) @type
(field name: (field_name) @variable.other.member)
(reference field: (field_name) @variable.other.member)
(struct_field name: (field_name) @variable.other.member)
(type_field name: (field_name) @variable.other.member)
(lookup field: (field_name) @variable.other.member)
(property) @attribute
(meta_parameter) @attribute

["=" "=>" "->" "?:" "<|>" "||" "+" "-" "*" "/" "==" "!=" "<" ">" "<=" ">="] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";"] @punctuation.delimiter
(meta_field ":" @attribute)
(map_type ":" @punctuation.delimiter)
