//! Codes of the range E01.

codes! {
    E0101: "unrecognized character",
        "The character starts no token of the language, and it stands outside of strings and comments, where any \
character is fine.

    @file \"/tmp/x\" {}         # wrong: `@` means nothing in mcl
    file \"/tmp/x\" {}          # right";
    E0102: "carriage return",
        "A carriage return (CR) stands outside of a string or comment. Most often the whole file has Windows line \
endings (CR LF); mcl wants LF alone. Convert the file once, for example with `dos2unix file.mcl` or `sed -i 's/\\r$//'`, \
and tell the editor or git (`* text eol=lf`) to keep it so.";
    E0103: "integer overflow",
        "Integers have 64 bits: from -9223372036854775808 to 9223372036854775807.

    $n = 9223372036854775808      # wrong: one too large
    $n = 9223372036854775808.0    # right, if a float will do
    $n = \"9223372036854775808\"    # right, if it is only passed on as text";
    E0104: "float overflow",
        "Floats are IEEE doubles; the largest is near 1.8 * 10^308. Numbers that are too small become zero silently.";
    E0105: "unterminated string",
        "A string starts at this quote and the file ends before it is closed.

    $motd = \"welcome         # wrong: no closing quote
    $motd = \"welcome\"        # right

Strings may span lines, so a missing quote is noticed late: every later quote of the file opens a string where it was \
meant to close one. If the quote shown looks right, look for the first string before it that has no closing quote. A quote \
inside of a string is written `\\\"`.";
    E0106: "wrong quotes",
        "Only double quotes make a string. There are no single-quoted, raw, triple-quoted or back-quoted strings.

    $name = 'web'      # wrong
    $name = \"web\"      # right

Inside of double quotes `${name}` inserts a variable; write `\\${name}` for the text itself.";
    E0107: "no such operator",
        "The character is an operator in other languages, but not in mcl.

    $a = !$b && $c      # wrong
    $a = not $b and $c  # right

There is: `and` `or` `not` `in`, `==` `!=` `<` `>` `<=` `>=`, `+` `-` `*` `/`, and the fallback `<|>`. The remainder of a \
division is a function: `import \"math\"`, then `math.mod(7, 2)`.";
    E0108: "character outside of ASCII",
        "Outside of strings and comments mcl is ASCII: names, keywords and operators have no other characters. Quotes and \
dashes that a word processor made typographic, no-break spaces copied from a web page, and a byte order mark at the start \
of the file are the usual causes.

    $größe = 3      # wrong
    $size = 3       # right
    $text = \"größe\" # right: a string holds any character";
    E0109: "misplaced underscore",
        "A name starts with a letter and ends in a letter or digit; underscores stand only inside. Numbers have none.

    $_head = 1    $tail_ = 2     $n = 1_000     # wrong
    $head = 1     $tail = 2      $n = 1000      # right";
}
