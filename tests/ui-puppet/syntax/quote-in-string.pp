notify { 'a': message => 'It's me' }
