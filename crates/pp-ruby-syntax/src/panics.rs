//! Panics of the parser, which nobody must see: they are errors here.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// This thread is inside the parser.
    static IS_PARSING: Cell<bool> = const { Cell::new(false) };
}

/// Runs the parser. Returns nothing if it panics, and prints nothing.
pub(crate) fn without_panic<T>(parse: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    // The hook is the only way to keep the message of a panic from the standard error. All other panics reach the previous one.
    HOOK.call_once(|| {
        let previous = take_hook();
        set_hook(Box::new(move |info| {
            if !IS_PARSING.try_with(Cell::get).unwrap_or(false) {
                previous(info);
            }
        }));
    });
    let was_parsing = IS_PARSING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(parse));
    IS_PARSING.set(was_parsing);
    result.ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use crate::{SyntaxError, Tree};

    /// A text that the parser panics for.
    const PANICS: &[u8] = b" ,{x{B\n:<<~B\"";
    /// The variable that asks the test for the panics themselves.
    const CHILD: &str = "PANICS_OF_THE_PARSER";

    #[test]
    fn panics_of_the_parser_are_errors_without_a_message() {
        if std::env::var_os(CHILD).is_some() {
            assert_eq!(Tree::parse(PANICS, 100).map(drop), Err(SyntaxError::Unreadable));
            assert!(std::panic::catch_unwind(|| panic!("of somebody else")).is_err());
            assert_eq!(Tree::parse(PANICS, 100).map(drop), Err(SyntaxError::Unreadable));
            return;
        }
        let this = std::env::current_exe().expect("a path");
        let child = Command::new(this).args(["panics_of_the_parser", "--nocapture"]).env(CHILD, "1").output();
        let child = child.expect("the test runs");
        let stderr = String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success(), "{stderr}");
        assert_eq!(
            (stderr.matches("panicked at").count(), stderr.matches("of somebody else").count()),
            (1, 1),
            "{stderr}"
        );
    }
}
