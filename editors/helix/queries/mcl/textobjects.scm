(class_definition body: (block) @class.inside) @class.around
(function_definition body: (expression_block) @function.inside) @function.around
(function body: (expression_block) @function.inside) @function.around
(resource body: (resource_body) @entry.inside) @entry.around
(parameter) @parameter.inside
(comment) @comment.inside
(comment)+ @comment.around
