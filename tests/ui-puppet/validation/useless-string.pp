'hello'
notice('a')
