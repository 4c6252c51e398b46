class foo.bar { }
