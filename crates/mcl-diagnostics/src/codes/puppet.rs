//! Codes of the range P.

codes! {
    P0101: "unreadable catalog",
        "The file is not a Puppet catalog.";
}
