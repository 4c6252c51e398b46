//! Codes of the range E07.

codes! {
    E0701: "type mismatch",
        "Two parts that must have one type have two.";
}
