//! Codes of the range A.

codes! {
    A0101: "not an artifact",
        "The file does not start with the header of an artifact.";
}
