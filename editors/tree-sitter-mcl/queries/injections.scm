((comment) @injection.content
  (#set! injection.language "comment"))

; Commands of `exec` run in a shell, if they have no `shell` of their own.
(resource
  kind: (kind) @_kind
  body: (resource_body
    (field
      name: (field_name) @_name
      value: (string (string_content) @injection.content)))
  (#eq? @_kind "exec")
  (#any-of? @_name "cmd" "ifcmd" "nifcmd" "watchcmd" "donecmd")
  (#set! injection.language "bash"))

; Templates of Go.
(call
  function: (function_name) @_name
  arguments: (arguments . (string (string_content) @injection.content))
  (#any-of? @_name "template" "golang.template")
  (#set! injection.language "gotmpl"))
