File < title == '/a' >
