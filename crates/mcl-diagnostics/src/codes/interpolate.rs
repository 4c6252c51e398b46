//! Codes of the range E04.

codes! {
    E0401: "bad escape",
        "A backslash in a string is followed by one of a b f n r t v \\ \" $; there are no numeric or Unicode escapes, as \
any character may stand in a string as it is. For a backslash itself write two.

    $re = \"\\d+\"       # wrong
    $re = \"\\\\d+\"      # right";
    E0402: "bad reference in a string",
        "Behind `${` stands the name of a variable, then `}`; no blanks, calls, lookups or nested references.

    $s = \"${list[0]}\"              # wrong
    $first = $list[0]
    $s = \"${first}\"                # right

For the text `${` itself write `\\${`.";
    E0403: "duplicate class",
        "A scope has one class of each name. Classes with colons in their names move into the class before the colon, and \
are then compared with those written there.";
    E0404: "classes nested too deeply",
        "Classes may nest a thousand levels deep, with colons or braces.";
}
