//! The report of a run of tests, in each format.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::cli::{Color, TestFormat};
use crate::report::style;
use crate::test::case::{Case, Verdict};

/// Returns the report.
pub fn text(cases: &[Case], format: TestFormat, time: Duration, color: Color) -> String {
    match format {
        TestFormat::Human => human(cases, time, style(color, &io::stdout()).color),
        TestFormat::Tap => tap(cases),
        TestFormat::Junit => junit(cases, time),
        TestFormat::Json => json_text(cases, time),
    }
}

impl Case {
    /// Returns why the test did not pass, and more lines about it.
    fn failure(&self) -> Option<(&str, &str)> {
        match &self.verdict {
            Verdict::Passed | Verdict::Blessed(_) => None,
            Verdict::Failed { why, details } => Some((why, details)),
            Verdict::Unusable(why) => Some((why, "")),
        }
    }
}

fn human(cases: &[Case], time: Duration, has_color: bool) -> String {
    let paint = |code: &str, text: &str| {
        if has_color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    };
    let mut out = String::new();
    for case in cases {
        let Some((why, details)) = case.failure() else {
            let _ = match &case.verdict {
                Verdict::Blessed(file) => {
                    let is_of_errors = file.extension().is_some_and(|extension| extension == "err");
                    let note =
                        if is_of_errors { ": the program has errors, which are expected from now on" } else { "" };
                    writeln!(out, "{}  {}{note}", paint("32", "wrote"), file.display())
                }
                _ => writeln!(out, "{}     {}", paint("32", "ok"), case.name),
            };
            continue;
        };
        let _ = writeln!(out, "{} {}: {why}", paint("31", "failed"), case.name);
        for line in details.lines() {
            let colored = match line.as_bytes().first() {
                Some(b'-') => paint("31", line),
                Some(b'+') => paint("32", line),
                Some(b'@') => paint("36", line),
                _ => line.to_owned(),
            };
            let _ = writeln!(out, "{}", format!("    {colored}").trim_end());
        }
    }
    let failed = cases.iter().filter(|case| case.failure().is_some()).count();
    let total = if cases.len() == 1 { "1 test".to_owned() } else { format!("{} tests", cases.len()) };
    let result = if failed == 0 { "all passed".to_owned() } else { format!("{failed} failed") };
    let _ = writeln!(out, "{total}, {result} ({time:.1?})");
    out
}

fn tap(cases: &[Case]) -> String {
    let mut out = format!("TAP version 13\n1..{}\n", cases.len());
    for (i, case) in cases.iter().enumerate() {
        // A `#` would start a directive.
        let name = case.name.replace('\\', "\\\\").replace('#', "\\#").replace('\n', " ");
        match case.failure() {
            None => {
                let _ = writeln!(out, "ok {} - {name}", i + 1);
            }
            Some((why, details)) => {
                let _ = writeln!(out, "not ok {} - {name}", i + 1);
                for line in why.lines().chain(details.lines()) {
                    let _ = writeln!(out, "# {line}");
                }
            }
        }
    }
    out
}

fn junit(cases: &[Case], time: Duration) -> String {
    let count = |wanted: fn(&Verdict) -> bool| cases.iter().filter(|case| wanted(&case.verdict)).count();
    let failures = count(|verdict| matches!(verdict, Verdict::Failed { .. }));
    let errors = count(|verdict| matches!(verdict, Verdict::Unusable(_)));
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(
        out,
        "  <testsuite name=\"mclc\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{:.3}\">",
        cases.len(),
        time.as_secs_f64()
    );
    for case in cases {
        let (name, time) = (escaped(&case.name), case.time.as_secs_f64());
        let Some((why, details)) = case.failure() else {
            let _ = writeln!(out, "    <testcase classname=\"mclc\" name=\"{name}\" time=\"{time:.3}\"/>");
            continue;
        };
        let element = if matches!(case.verdict, Verdict::Unusable(_)) { "error" } else { "failure" };
        let _ = writeln!(out, "    <testcase classname=\"mclc\" name=\"{name}\" time=\"{time:.3}\">");
        let _ = writeln!(out, "      <{element} message=\"{}\">{}</{element}>", escaped(why), escaped(details));
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Escapes text for XML, which cannot hold most control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn json_text(cases: &[Case], time: Duration) -> String {
    let tests: Vec<Json> = cases
        .iter()
        .map(|case| {
            let result = match &case.verdict {
                Verdict::Passed => "passed",
                Verdict::Blessed(_) => "blessed",
                Verdict::Failed { .. } => "failed",
                Verdict::Unusable(_) => "error",
            };
            let (why, details) = case.failure().unzip();
            json!({"name": case.name, "result": result, "seconds": case.time.as_secs_f64(), "message": why, "details": details})
        })
        .collect();
    let failed = cases.iter().filter(|case| case.failure().is_some()).count();
    let all = json!({"tests": tests, "total": cases.len(), "failed": failed, "seconds": time.as_secs_f64()});
    format!("{all:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Case> {
        let failed =
            Verdict::Failed { why: "differs from `b.graph`".to_owned(), details: "@@ a\n+ <b> & \u{1}\n".to_owned() };
        let case = |name: &str, verdict| Case { name: name.to_owned(), verdict, time: Duration::ZERO };
        vec![case("tests/a#1.mcl", Verdict::Passed), case("tests/b.mcl", failed)]
    }

    #[test]
    fn failures_follow_their_tests_in_every_format() {
        let human = text(&cases(), TestFormat::Human, Duration::ZERO, Color::Never);
        assert_eq!(
            human,
            "ok     tests/a#1.mcl\nfailed tests/b.mcl: differs from `b.graph`\n    @@ a\n    + <b> & \u{1}\n\
             2 tests, 1 failed (0.0ns)\n"
        );
        let tap = text(&cases(), TestFormat::Tap, Duration::ZERO, Color::Never);
        assert_eq!(
            tap,
            "TAP version 13\n1..2\nok 1 - tests/a\\#1.mcl\nnot ok 2 - tests/b.mcl\n# differs from `b.graph`\n# @@ a\n\
             # + <b> & \u{1}\n"
        );
        let junit = text(&cases(), TestFormat::Junit, Duration::ZERO, Color::Never);
        assert!(junit.contains("tests=\"2\" failures=\"1\" errors=\"0\""), "{junit}");
        assert!(junit.contains("+ &lt;b&gt; &amp; \u{fffd}"), "{junit}");
        let json: Json =
            serde_json::from_str(&text(&cases(), TestFormat::Json, Duration::ZERO, Color::Never)).expect("JSON");
        assert_eq!(json["tests"][1]["result"], "failed");
        assert_eq!(json["failed"], 1);
    }
}
