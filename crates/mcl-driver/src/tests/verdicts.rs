//! Programs with the verdict that the specification gives them (spec 01, spec 02): accepted, or rejected with one error.
//!
//! Each program of `verdicts/*.txt` starts after a line `# NAME :: accept` or `# NAME :: reject CODES LINE`. CODES are
//! separated by `|`, where the border between two codes is a matter of design; LINE is `FILE:LINE` for another file than
//! `main.mcl`, and `-` for any. `crlf` at the end: the main file has carriage returns. A line `-- FILE --` starts another file.

use mcl_diagnostics::{Diagnostic, Severity};
use rayon::prelude::*;

use crate::tests::program::{Checked, check};

const VERDICTS: &[&str] = &[
    include_str!("../../verdicts/lexing.txt"),
    include_str!("../../verdicts/strings.txt"),
    include_str!("../../verdicts/commas.txt"),
    include_str!("../../verdicts/scope.txt"),
    include_str!("../../verdicts/imports.txt"),
    include_str!("../../verdicts/types.txt"),
    include_str!("../../verdicts/operators.txt"),
    include_str!("../../verdicts/printf.txt"),
    include_str!("../../verdicts/resources.txt"),
];

/// A program and its verdict.
struct Case<'a> {
    name: &'a str,
    verdict: Verdict<'a>,
    files: Vec<(&'a str, String)>,
}

enum Verdict<'a> {
    Accept,
    Reject { codes: Vec<&'a str>, place: &'a str },
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    let mut has_returns = false;
    for line in text.lines() {
        let head = line.strip_prefix("# ").and_then(|line| line.split_once(" :: "));
        if let Some((name, verdict)) = head {
            let words: Vec<&str> = verdict.split_whitespace().collect();
            let verdict = match words[..] {
                ["accept"] => Verdict::Accept,
                ["reject", codes, place, ..] => Verdict::Reject { codes: codes.split('|').collect(), place },
                _ => panic!("unknown verdict of {name}: {verdict}"),
            };
            has_returns = words.last() == Some(&"crlf");
            cases.push(Case { name, verdict, files: vec![("main.mcl", String::new())] });
            continue;
        }
        let files = &mut cases.last_mut().expect("a file starts with a verdict").files;
        if let Some(name) = line.strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
            files.push((name, String::new()));
        } else {
            let file = &mut files.last_mut().expect("there is a main file").1;
            file.push_str(line);
            file.push_str(if has_returns { "\r\n" } else { "\n" });
        }
    }
    cases
}

/// Returns `FILE:LINE` of a diagnostic.
fn place_of(diagnostic: &Diagnostic, checked: &Checked) -> String {
    match diagnostic.span {
        Some(span) => {
            let file = checked.files.get(span.file).map_or("", |file| &file.name);
            format!("{file}:{}", checked.files.line_col(span.file, span.start).line)
        }
        None => String::new(),
    }
}

/// Describes how the compiler's verdict differs from the expected one, if it does.
fn difference(case: &Case<'_>) -> Option<String> {
    let checked = check(&case.files);
    let errors: Vec<&Diagnostic> = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    let agrees = match (&case.verdict, &errors[..]) {
        (Verdict::Accept, []) => true,
        (Verdict::Reject { codes, place }, [error]) => {
            let is_there = match *place {
                "-" => true,
                place if place.contains(':') => place_of(error, &checked) == place,
                line => place_of(error, &checked) == format!("main.mcl:{line}"),
            };
            codes.contains(&error.code.name()) && is_there
        }
        _ => false,
    };
    let found: Vec<String> = errors
        .iter()
        .map(|error| format!("  {} {} {}\n", place_of(error, &checked), error.code.name(), error.message))
        .collect();
    (!agrees).then(|| format!("{}:\n{}found\n{}", case.name, case.files[0].1, found.concat()))
}

#[test]
fn every_program_has_the_verdict_of_the_specification() {
    let cases: Vec<Case<'_>> = VERDICTS.iter().flat_map(|text| cases(text)).collect();
    assert!(cases.len() > 600, "{}", cases.len());
    let differences: Vec<String> = cases.par_iter().filter_map(difference).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
