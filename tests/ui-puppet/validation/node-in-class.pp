class a { node 'x' { } }
