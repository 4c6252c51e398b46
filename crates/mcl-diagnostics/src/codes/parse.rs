//! Codes of the range E02.

codes! {
    E0201: "syntax error",
        "The text does not follow the grammar here.";
}
