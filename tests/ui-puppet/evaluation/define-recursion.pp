define a() { a { "${title}x": } }
a { 'x': }
