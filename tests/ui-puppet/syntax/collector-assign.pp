File <| title = '/a' |>
