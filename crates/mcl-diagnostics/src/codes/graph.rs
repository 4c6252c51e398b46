//! Codes of the range E08.

codes! {
    E0801: "duplicate meta parameter",
        "A meta parameter is given twice, once by a Meta struct.";
}
