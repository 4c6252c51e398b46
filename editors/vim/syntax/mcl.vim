" Colours for mcl. Names that only the language server knows (parameters, constants) are variables here.
if exists('b:current_syntax')
  finish
endif

syntax case match

syntax match mclComment /#.*$/ contains=mclTodo,@Spell
syntax keyword mclTodo TODO FIXME XXX NOTE contained

syntax region mclString start=/"/ skip=/\\\\\|\\"/ end=/"/ contains=mclEscape,mclBadEscape,mclInterpolation,@Spell
syntax match mclBadEscape /\\./ contained
syntax match mclEscape /\\[abfnrtv\\"$]/ contained
syntax match mclInterpolation /\${[a-z][a-z0-9_.]*}/ contained

syntax match mclNumber /-\=\<[0-9]\+\%(\.[0-9]\+\)\=\>/
syntax keyword mclBoolean true false

syntax keyword mclConditional if else
syntax keyword mclRepeat for forkv in
syntax keyword mclStatement include panic class nextgroup=mclClass skipwhite
syntax keyword mclStatement as
syntax match mclStatement /\<collect\>\ze\s\+[a-z]/
syntax keyword mclImport import
syntax keyword mclKeyword func nextgroup=mclFunction skipwhite
syntax keyword mclWordOperator and or not

syntax keyword mclType bool str int float variant
syntax match mclType /\<\%(map\|struct\)\ze\s*{/

syntax match mclClass /\<[a-z][a-z0-9_]*\%([.:][a-z][a-z0-9_]*\)*/ contained contains=mclNamespace
syntax match mclNamespace /\<[a-z][a-z0-9_]*\ze\./
syntax match mclFunction /\<[a-z][a-z0-9_]*\ze\s*(/
syntax match mclVariable /\$\s*[a-z][a-z0-9_]*\%(\.[a-z][a-z0-9_]*\)*/

syntax match mclKind /\<[a-z][a-z0-9_]*\%(:[a-z][a-z0-9_]*\)*\ze\s\+\%(["$]\|\[[^]]\)/
syntax match mclReference /\<[A-Z][a-z0-9_]*\%(:[A-Z][a-z0-9_]*\)*\ze\s*\[/
syntax match mclProperty /\<[a-z][a-z0-9_]*\ze\s*=>/
syntax match mclMeta /\<[A-Z][a-z0-9_]*\%(:[a-z][a-z0-9_]*\)\=\ze\s*=>/

" A string may go over many lines.
syntax sync fromstart

highlight default link mclComment Comment
highlight default link mclTodo Todo
highlight default link mclString String
highlight default link mclEscape SpecialChar
highlight default link mclBadEscape Error
highlight default link mclInterpolation Identifier
highlight default link mclNumber Number
highlight default link mclBoolean Boolean
highlight default link mclConditional Conditional
highlight default link mclRepeat Repeat
highlight default link mclStatement Statement
highlight default link mclImport Include
highlight default link mclKeyword Keyword
highlight default link mclWordOperator Operator
highlight default link mclType Type
highlight default link mclClass Structure
highlight default link mclFunction Function
highlight default link mclNamespace Include
highlight default link mclVariable Identifier
highlight default link mclKind Structure
highlight default link mclReference Structure
highlight default link mclProperty Label
highlight default link mclMeta PreProc

let b:current_syntax = 'mcl'
