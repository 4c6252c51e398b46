" Settings for mcl: comments, tabs, and the formatter.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s
setlocal formatoptions-=t formatoptions+=croql
setlocal noexpandtab tabstop=8 shiftwidth=0 softtabstop=0
setlocal suffixesadd=.mcl

let b:undo_ftplugin = 'setlocal comments< commentstring< formatoptions< expandtab< tabstop< shiftwidth< softtabstop< suffixesadd<'

if executable('mclc')
  " `gggqG` formats the program; `:make` checks it and fills the list of errors.
  setlocal formatprg=mclc\ fmt\ -
  setlocal makeprg=mclc\ check\ --format\ short\ %:S
  setlocal errorformat=%f:%l:%c:\ %trror[%*[^]]]:\ %m,%f:%l:%c:\ %tarning[%*[^]]]:\ %m,%f:%l:%c:\ %tote[%*[^]]]:\ %m
  let b:undo_ftplugin .= ' | setlocal formatprg< makeprg< errorformat<'
endif
