//! Codes of the range W. W0101 to W0113 are the lints L01 to L13 of spec 01 §2.11: accepted here, rejected by mgmt 1.1.
//! W02 is about what a correct program will do.

codes! {
    W0101: "trailing comma on one line",
        "mgmt 1.1 rejects a comma before the closing bracket unless every element stands on its own line. Older mgmt \
required it: `[1, 2,]`. Drop the comma: `[1, 2]`.";
    W0102: "last element without a comma",
        "When the elements stand on lines of their own, mgmt 1.1 wants a comma behind each, the last one too.";
    W0103: "several elements on a line of a long list",
        "When a newline follows the opening bracket, mgmt 1.1 wants one element a line, and the closing bracket on a line \
of its own.";
    W0104: "list that is broken over lines halfway",
        "mgmt 1.1 wants either all on one line, or a newline behind the opening bracket and one element a line.";
    W0105: "newline inside a statement",
        "mgmt 1.1 ends a statement at the newline here. Join the lines.";
    W0106: "newline before a brace",
        "mgmt 1.1 wants the `{` on the line of what stands before it.";
    W0107: "newline before else",
        "mgmt 1.1 wants `} else {` on one line.";
    W0108: "several statements on a line",
        "mgmt 1.1 wants each statement, and the `}` behind the last one, on a line of its own.";
    W0109: "no newline at the end",
        "mgmt 1.1 wants a newline behind the last statement of a file.";
    W0110: "newline inside a type",
        "mgmt 1.1 wants a type on one line, except that the arguments of a func type may stand on lines of their own.";
    W0111: "newline before a comma",
        "mgmt 1.1 wants the comma on the line of its element.";
    W0112: "old spelling of the fallback",
        "`||` behind a lookup is an older spelling of `<|>`. It bound tighter then: what was `(e[k] || b) + c` is now \
`e[k] <|> (b + c)`; add parentheses where the right side is more than one value.";
    W0113: "string that ends in a backslash",
        "mgmt 1.1 does not find the end of a string whose last character is an escaped backslash. Nothing is wrong with \
the program, but mgmt 1.1 cannot read it.";
    W0201: "call that always fails",
        "All arguments of the call are known, and with these it fails: the program would stop as soon as it runs:\n\n    $list = \
[1, 2]\n    test \"t\" { int64 => $list[5], }\n\nCorrect the arguments, or say what to use instead: `$list[5] <|> 0`.";
}
