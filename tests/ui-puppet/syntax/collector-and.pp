File <| title == '/a' && tag == 'b' |>
