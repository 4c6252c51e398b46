//! What docs/style.md says of errors and files, held against every source.

use regex::Regex;

use crate::sources::{line_of, sources};

/// The part of a source that is not test code.
fn without_tests<'a>(path: &str, text: &'a str) -> &'a str {
    let is_test = path.contains("/tests/") || path.contains("/benches/") || path.ends_with("tests.rs");
    let end = if is_test { 0 } else { text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len()) };
    &text[..end]
}

/// The results whose error is a `String`, as `path:line: text`.
fn untyped_errors(path: &str, text: &str) -> Vec<String> {
    // Arguments of the first type parameter nest at most twice, as in `Result<Vec<(A, B<C>)>, String>`.
    let nested = r"(?:[^<>;{}]|<(?:[^<>;{}]|<[^<>;{}]*>)*>)*";
    let pattern = Regex::new(&format!(r"\bResult<{nested},\s*String>")).expect("a valid pattern");
    let text = without_tests(path, text);
    pattern
        .find_iter(text)
        .map(|found| format!("{path}:{}: {}", line_of(text, found.start()), found.as_str()))
        .collect()
}

#[test]
fn errors_are_typed() {
    let found: Vec<String> = sources(&[".rs"]).iter().flat_map(|s| untyped_errors(&s.path, &s.text)).collect();
    assert!(found.is_empty(), "errors without a type:\n{}", found.join("\n"));
}

#[test]
fn untyped_errors_are_found() {
    let found = |text| untyped_errors("crates/a/src/a.rs", text).len();
    assert_eq!(found("fn a() -> Result<(), String> {"), 1);
    assert_eq!(found("fn a() -> Result<Vec<(A, B<C>)>, String>;"), 1);
    assert_eq!(found("fn a(\n) -> Result<\n    A,\n    String> {"), 1);
    assert_eq!(found("type A = Option<Result<f64, String>>;"), 1);
    assert_eq!(found("fn a() -> Result<String, Error> {}\nfn b(c: HashMap<A, String>) {}"), 0);
    assert_eq!(found("fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() -> Result<(), String> {"), 0);
    assert_eq!(untyped_errors("crates/a/src/tests/a.rs", "fn a() -> Result<(), String> {").len(), 0);
}

/// Maximum number of lines of a file. docs/style.md asks for less; this much is for data that would not gain from a split.
const MAX_LINES: usize = 650;

#[test]
fn files_are_short() {
    let lengths = sources(&[".rs"]).into_iter().map(|source| (source.text.lines().count(), source.path));
    let long: Vec<String> =
        lengths.filter(|(lines, _)| *lines > MAX_LINES).map(|(lines, path)| format!("{path}: {lines} lines")).collect();
    assert!(long.is_empty(), "files of more than {MAX_LINES} lines:\n{}", long.join("\n"));
}
