File <| title == '/a' |
