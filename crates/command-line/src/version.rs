//! Which version it is, and how it was built.

use std::ffi::OsString;
use std::fmt::Write as _;

use crate::tool::Tool;

/// The version with the commit and its date: `0.1.0 (abc1234 2026-01-31)`; both are `unknown` in a build without git.
pub const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("BUILD_COMMIT_SHORT"), " ", env!("BUILD_DATE"), ")");

/// Whether the arguments are `--version --verbose`, in any order and spelling.
pub(crate) fn asks_for_details(arguments: &[OsString]) -> bool {
    let Some(arguments) = arguments.iter().map(|argument| argument.to_str()).collect::<Option<Vec<_>>>() else {
        return false;
    };
    matches!(
        arguments[..],
        ["-Vv" | "-vV"] | ["-V" | "--version", "-v" | "--verbose"] | ["-v" | "--verbose", "-V" | "--version"]
    )
}

/// Returns the version and everything that is known of the build, one fact a line.
pub(crate) fn details(tool: &Tool) -> String {
    let mut text = format!("{} {VERSION}\n", tool.name);
    let built = [
        ("commit", env!("BUILD_COMMIT")),
        ("date", env!("BUILD_DATE")),
        ("target", env!("BUILD_TARGET")),
        ("rustc", env!("BUILD_RUSTC")),
    ];
    for (name, value) in built {
        let _ = writeln!(text, "{name}: {value}");
    }
    for (name, value) in tool.facts {
        let _ = writeln!(text, "{name}: {}", value());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOL: Tool = Tool {
        name: "tool",
        completion_variable: "TOOL_COMPLETE",
        facts: &[("format", || "7".to_owned())],
        advice: |_| None,
    };

    #[test]
    fn details_begin_with_the_version_and_end_with_what_the_tool_knows() {
        let details = details(&TOOL);
        let lines: Vec<&str> = details.lines().collect();
        assert_eq!(lines[0], format!("tool {VERSION}"));
        let names: Vec<&str> = lines[1..].iter().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
        assert_eq!(names, ["commit", "date", "target", "rustc", "format"]);
        assert!(lines.iter().all(|line| !line.ends_with(": ")), "{details}");
    }

    #[test]
    fn version_has_a_commit_and_a_date_or_says_that_they_are_unknown() {
        let (number, build) = VERSION.split_once(" (").expect("a build");
        assert_eq!(number, env!("CARGO_PKG_VERSION"));
        let (commit, date) = build.strip_suffix(')').and_then(|build| build.split_once(' ')).expect("two words");
        let is_date = date.len() == 10 && date.bytes().filter(|byte| *byte == b'-').count() == 2;
        let is_hash = commit.len() == 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!((is_hash || commit == "unknown") && (is_date || date == "unknown"), "{VERSION}");
    }

    #[test]
    fn details_are_asked_for_by_two_flags() {
        let asks = |words: &str| asks_for_details(&words.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(asks("--version --verbose") && asks("--verbose --version") && asks("-Vv") && asks("-V -v"));
        assert!(!asks("--version") && !asks("--verbose") && !asks("check --version --verbose"));
    }
}
