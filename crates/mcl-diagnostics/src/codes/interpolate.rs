//! Codes of the range E04.

codes! {
    E0401: "bad escape",
        "A backslash in a string must be followed by one of a b f n r t v \\ \" $.";
}
