//! Codes of the range E01.

codes! {
    E0101: "unrecognized character",
        "The character starts no token of the language. Outside strings and comments mcl is ASCII.";
}
