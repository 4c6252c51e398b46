autocmd BufNewFile,BufRead *.mcl setfiletype mcl
