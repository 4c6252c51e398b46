//! Codes of the range E06.

codes! {
    E0601: "unknown variable",
        "No variable of that name is in scope.";
}
