//! Codes of the range E03.

codes! {
    E0301: "duplicate field",
        "A resource has each field once, whatever the conditions before `?:` say.

    file \"/tmp/x\" {
        mode => $a ?: \"u=r\",
        mode => $b ?: \"u=rw\",                                      # wrong
        mode => if $a { \"u=r\" } else { \"u=rw\" },                   # right
    }";
    E0302: "duplicate meta parameter",
        "A resource has each meta parameter once.";
    E0303: "type that cannot be a map key",
        "Map keys are bool, str, int, float, or structs of these. Lists, maps and functions cannot be compared as keys.";
    E0304: "map keys of different types",
        "All keys of a map have one type.

    $m = {\"a\" => 1, 2 => 3}         # wrong: str and int
    $m = {\"a\" => 1, \"2\" => 3}       # right";
    E0305: "duplicate map key",
        "A map has each key once. Numbers are compared by value (`1` and `01` are equal), strings as they are written.";
    E0306: "duplicate struct field",
        "A struct has each field once.";
    E0307: "unknown edge property",
        "Inside of a resource an edge is `Before`, `Notify` (this one first), `Depend` or `Listen` (the other one first); \
`Notify` and `Listen` also refresh the later one.";
    E0308: "unknown meta parameter",
        "The meta parameters are noop retry retryreset delay timeout poll limit burst reset sema rewatch realize dollar \
hidden export reverse autoedge autogroup.";
    E0309: "import in a loop",
        "An import stands at the top of a file, in a class, or in a branch of an `if`; not directly in the body of a loop. \
Move it in front of the loop.";
    E0310: "two underscores in a row",
        "The name of a variable that is used has no two underscores in a row.";
    E0311: "empty import",
        "An import names a module: `import \"fmt\"`, `import \"lib/\"`, `import \"other.mcl\"`.";
}
