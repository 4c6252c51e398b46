//! Codes of the range E07.

codes! {
    E0701: "type mismatch",
        "A value has another type than the place where it is used needs. mcl never converts: `1` is an int, `1.0` a float, \
`\"1\"` a str. The labels show where each of the two types comes from.\n\
\n\
Wrong:\n\
\n    test \"t\" { int64 => \"5\", }\n\
\n\
Right:\n\
\n    test \"t\" { int64 => 5, }\n\
\n\
Functions convert: `fmt.printf(\"%d\", $n)`, `convert.to_float($n)`, `convert.parse_bool($s)`.";

    E0702: "operands differ",
        "Both sides of an operator have one type.\n\
\n\
Wrong:\n\
\n    $total = 1 + 2.5\n\
\n\
Right:\n\
\n    $total = 1.0 + 2.5";

    E0703: "operator does not take this type",
        "| operator | types |\n| --- | --- |\n| `+` | str, int, float |\n| `-` `*` `/` `<` `>` `<=` `>=` | int, float |\n| `==` `!=` \
| everything that contains no function |\n| `and` `or` `not` | bool |\n| `in` | anything, and a list of it |\n\
\n\
`/` always gives a float. Lists are joined with `list.concat`.";

    E0704: "wrong number of arguments",
        "A call gives one argument for each parameter of the function.\n\
\n    func add($a, $b) { $a + $b }\n    $three = add(1, 2)";

    E0705: "not a function",
        "Only functions can be called: `$f(…)` needs a `$f` that holds a function.\n\
\n    $f = func($n) { $n + 1 }\n    $two = $f(1)";

    E0706: "type cannot be determined",
        "Nothing says which type this has. An empty list or map, or the result of a generic function, gets its type from the way \
it is used, or from an annotation.\n\
\n\
Wrong:\n\
\n    $names = []\n    test \"t\" { int64 => len($names), }\n\
\n\
Right:\n\
\n    $names []str = []\n    test \"t\" { int64 => len($names), }";

    E0707: "struct lacks the field",
        "`->` takes a field of a struct, and the struct's type must have it. Where it may be missing, give a default: \
`$s->port <|> 80`. (Without parentheses: `($s->port) <|> 80` needs the field.)";

    E0708: "not a container of this sort",
        "`x[i]` looks into a list by position or into a map by key; `x->f` takes a field of a struct.\n\
\n    $first = $list[0]\n    $port = $map[\"port\"]\n    $name = $struct->name";

    E0709: "map key is not hashable",
        "The keys of a map are bool, str, int, float, or structs of these; not lists, maps or functions.";

    E0710: "unknown resource kind",
        "There is no resource of this kind. `mclc doc` lists all kinds. In an edge a kind is written with capitals: \
`Http:Server:File[\"/x\"]`.";

    E0711: "unknown resource field",
        "The resource has no field of this name. `mclc doc KIND` lists the fields of a kind.";

    E0712: "resource name is neither a text nor a list of texts",
        "A resource is named by one str, or by a list of str for several resources. Which of the two it is must be known before \
the program runs: only a literal, an interpolated string, or a variable that is known to be a str counts as one; the \
result of a function or operator is taken as a list.\n\
\n\
Wrong:\n\
\n    file \"/tmp/\" + $name { state => \"exists\", }\n\
\n\
Right:\n\
\n    file \"/tmp/${name}\" { state => \"exists\", }\n    file [\"/tmp/\" + $name] { state => \"exists\", }";

    E0713: "edge with one end",
        "An edge joins two or more resources.\n\
\n    Pkg[\"ntp\"] -> File[\"/etc/ntp.conf\"] -> Svc[\"ntpd\"]";

    E0714: "value cannot be sent",
        "`A[\"x\"].key -> B[\"y\"].field` sends a value while the resources run. The first kind must offer the key, the second must be \
able to receive, and both must have the same type.\n\
\n    Exec[\"e\"].stdout -> File[\"/tmp/f\"].content";

    E0715: "format does not fit",
        "`fmt.printf` takes a format and one argument for each verb in it: `%s` and `%q` str, `%d` int, `%f` float, `%t` bool, `%v` \
and `%T` anything; `%%` is a percent sign. There are no widths and precisions.\n\
\n    fmt.printf(\"%s has %d\", $name, $count)";

    E0716: "function does not take this type",
        "The function is made for some types only: `len` for str, lists and maps, `math.mod` for int and float.";

    E0717: "infinite type",
        "The type would have to contain itself, as when a function is applied to itself: `$f($f)`.";

    E0718: "not a type",
        "The second argument of `encoding.decode_json` is the text of a type: `\"[]int\"`, `\"map{str: []struct{n int}}\"`.";

    E0719: "type variant",
        "No value has the type `variant`. Leave the annotation out: the type is found by itself, and a function works with every \
type that its body allows.";

    E0720: "type is nested too deeply",
        "A type may be at most 400 levels deep.";

    E0721: "fields of a struct differ",
        "Two structs are of one type if they have the same fields, of the same types, in the same order.\n\
\n\
Wrong:\n\
\n    $l = [struct{a => 1, b => 2}, struct{b => 2, a => 1}]\n\
\n\
Right:\n\
\n    $l = [struct{a => 1, b => 2}, struct{a => 1, b => 2}]";
}
