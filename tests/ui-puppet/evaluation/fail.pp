fail('this is wrong')
