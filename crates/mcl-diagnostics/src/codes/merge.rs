//! Codes of the range M.

codes! {
    M0101: "hand-over without a partner",
        "A puppet_ resource has no mgmt_ class.";
}
