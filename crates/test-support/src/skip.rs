//! Tests that cannot run everywhere.

/// Prints why a test is skipped; the test must return.
///
/// # Panics
/// If the environment has `MCL_SKIP_NOTHING`.
#[track_caller]
pub fn skip(reason: &str) {
    assert!(std::env::var_os("MCL_SKIP_NOTHING").is_none(), "{reason}");
    eprintln!("skipped: {reason}");
}
