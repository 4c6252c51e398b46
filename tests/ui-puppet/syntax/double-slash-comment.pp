// a comment
notice('a')
