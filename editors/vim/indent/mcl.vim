" Indentation of mcl: one tab for each bracket that is open at the end of a line, as `mclc fmt` writes it.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=MclIndent(v:lnum) indentkeys=0},0),0],o,O,!^F autoindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< autoindent<'

if exists('*MclIndent')
  finish
endif

" The text of a line without its strings and comment.
function! s:Code(lnum) abort
  let l:text = substitute(getline(a:lnum), '"\%([^"\\]\|\\.\)*"', '""', 'g')
  return substitute(l:text, '#.*$', '', '')
endfunction

function! s:Count(text, pattern) abort
  return len(split(a:text, a:pattern, 1)) - 1
endfunction

function! MclIndent(lnum) abort
  let l:previous = prevnonblank(a:lnum - 1)
  if l:previous == 0
    return 0
  endif
  let l:code = s:Code(l:previous)
  " Several brackets that one line opens are one level, and closing ones at its start are part of its own indentation.
  let l:rest = substitute(l:code, '^\s*[])}]\+', '', '')
  let l:open = s:Count(l:rest, '[[({]') - s:Count(l:rest, '[])}]')
  let l:level = indent(l:previous) + (l:open > 0 ? shiftwidth() : l:open < 0 ? -shiftwidth() : 0)
  if s:Code(a:lnum) =~# '^\s*[])}]'
    let l:level -= shiftwidth()
  endif
  return max([l:level, 0])
endfunction
