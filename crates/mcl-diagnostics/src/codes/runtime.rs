//! Codes of the range R.

codes! {
    R0101: "a function failed",
        "A function of the program failed and nothing caught the failure.";
}
