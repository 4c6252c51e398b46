notify { "hello: }
notify { "b": }
