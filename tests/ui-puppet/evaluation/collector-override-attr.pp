file { '/a': }
File <| |> { ensur => absent }
