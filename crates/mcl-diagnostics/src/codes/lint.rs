//! Codes of the range W.

codes! {
    W0101: "trailing comma",
        "mgmt 1.1 rejects a trailing comma in a list on one line.";
}
