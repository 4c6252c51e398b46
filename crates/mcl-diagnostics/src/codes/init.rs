//! Codes of the range E03.

codes! {
    E0301: "duplicate field",
        "A field may be given once.";
}
