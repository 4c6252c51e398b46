define foo(name1) { }
