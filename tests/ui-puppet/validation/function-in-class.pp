class a { function b() { } }
