//! Codes of the range E05.

codes! {
    E0501: "module not found",
        "The imported module does not exist.";
}
