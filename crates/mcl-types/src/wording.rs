//! The wording that all type mismatches share.

/// The rule for the keys of maps.
pub(crate) const MAP_KEY_HELP: &str = "a key is a `bool`, `str`, `int` or `float`, or a struct of these";

/// Words a mismatch of two types.
pub(crate) fn expected_found(expected: &str, found: &str) -> String {
    format!("expected `{expected}`, found `{found}`")
}

/// Words the label of the span that an expected type comes from.
pub(crate) fn expected_because(expected: &str) -> String {
    format!("expected `{expected}` because of this")
}
