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

/// Prints that a test is skipped, because a program cannot be started; the test must return.
///
/// # Panics
/// If the environment has `MCL_SKIP_NOTHING`, unless its `MCL_SKIP_WITHOUT`, a list of words, names the program.
#[track_caller]
pub fn skip_without(program: &str, package: &str) {
    let reason = format!("{program} (package `{package}`) is not installed");
    let permitted = std::env::var("MCL_SKIP_WITHOUT").unwrap_or_default();
    if permitted.split_whitespace().any(|name| name == program) {
        eprintln!("skipped: {reason}");
    } else {
        skip(&reason);
    }
}
