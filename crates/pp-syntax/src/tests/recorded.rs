//! What Puppet rejects while it parses and validates is rejected at the same place, and everything else is accepted.

use mcl_diagnostics::{Diagnostic, Severity};

use crate::Mode;
use crate::tests::support::{check, errors, files_in, lang, place, recorded};

/// Records whose place differs on purpose, with the reason.
const OTHER_PLACE: &[(&str, &str)] = &[
    ("type-object-028", "`inherits` is named, not the hash after the type"),
    ("type-object-130", "the `.` is named, not the call that Puppet reads as the type of a resource"),
    ("type-object-132", "the `.` is named, not the assignment that Puppet reads as the type of a resource"),
    ("interpolation-036", "the `}` of an empty interpolation is named, not the text after it"),
    ("sample-definitions-143", "the `}` of an empty interpolation is named, not the text after it"),
    ("interpolation-037", "the `}` of an empty interpolation is named, not the text after it"),
];

/// Whether an error is that of a literal regular expression, which another crate compiles after parsing.
fn is_regexp_error(error: &str) -> bool {
    ["end pattern", "end of char-class", "target of repeat operator"].iter().any(|text| error.contains(text))
}

/// Records with several mistakes, of which Puppet reports the first syntax error.
const SEVERAL_MISTAKES: &[&str] = &["syntax-errors-021", "sample-sixth-074"];

#[test]
fn rejected_programs_are_rejected_at_the_recorded_place() {
    let mut rejected = 0;
    for record in lang() {
        let outcome = record["outcome"].as_str().expect("an outcome");
        if !matches!(outcome, "parse" | "validation") {
            continue;
        }
        if record["error"].as_str().is_some_and(is_regexp_error) {
            continue;
        }
        rejected += 1;
        let (id, code) = (record["id"].as_str().expect("an id"), record["code"].as_str().expect("a program"));
        let found = errors(code);
        let first = found.first().unwrap_or_else(|| panic!("{id} is accepted: {code}"));
        let (line, column) = place(code, first);
        let several = record["errors"].as_array().and_then(|errors| errors.first());
        let expected = several.unwrap_or(&record);
        if OTHER_PLACE.iter().any(|(other, _)| *other == id) {
            continue;
        }
        if let Some(expected) = expected["line"].as_u64() {
            assert_eq!(line, expected, "{id}: {code}\n{first:?}");
        }
        if let Some(expected) = expected["column"].as_u64() {
            assert_eq!(column, expected, "{id}: {code}\n{first:?}");
        }
    }
    assert!(rejected > 250);
}

#[test]
fn one_mistake_is_one_error() {
    for record in lang() {
        if !matches!(record["outcome"].as_str(), Some("parse" | "validation")) || record["errors"].is_array() {
            continue;
        }
        let code = record["code"].as_str().expect("a program");
        let found = errors(code);
        if record["id"].as_str().is_some_and(|id| SEVERAL_MISTAKES.contains(&id)) {
            assert_eq!(found.len(), 2);
            continue;
        }
        assert!(found.len() <= 1, "{}: {code}\n{found:#?}", record["id"]);
    }
}

#[test]
fn messages_have_the_recorded_words() {
    const JSON: &str = "Invalid produced text having syntax: 'json'. JSON syntax checker: ";
    let mut same = 0;
    let mut all = 0;
    for record in lang() {
        let several = record["errors"].as_array().and_then(|errors| errors.first());
        let expected = several.map_or(&record["error"], |error| &error["message"]);
        let is_syntax = matches!(record["outcome"].as_str(), Some("parse" | "validation"));
        let (Some(expected), true, false) = (expected.as_str(), is_syntax, record["crash"] == true) else { continue };
        let found = errors(record["code"].as_str().expect("a program"));
        all += 1;
        let is_same = |error: &Diagnostic| match expected {
            // Puppet does not name the character.
            "Syntax error at ''" => error.message.starts_with("Syntax error at '"),
            // The rest is that of another parser of JSON.
            _ if expected.starts_with(JSON) => error.message.starts_with(JSON),
            _ => error.message == expected,
        };
        same += usize::from(found.iter().any(is_same));
    }
    assert!(same * 100 >= all * 97, "{same} of {all}");
}

#[test]
fn accepted_programs_are_accepted() {
    for record in lang() {
        if matches!(record["outcome"].as_str(), Some("ok" | "evaluation")) {
            let code = record["code"].as_str().expect("a program");
            let found = errors(code);
            assert!(found.is_empty(), "{}: {code}\n{found:#?}", record["id"]);
        }
    }
}

#[test]
fn warnings_of_validation_are_recorded_ones() {
    for record in lang() {
        let code = record["code"].as_str().expect("a program");
        let found =
            check(code, Mode::Manifest).into_iter().filter(|diagnostic| diagnostic.severity == Severity::Warning);
        let logs: Vec<&str> = record["logs"].as_array().into_iter().flatten().filter_map(|log| log.as_str()).collect();
        for warning in found {
            assert!(
                logs.iter().any(|log| log.starts_with("warning: ") && log.contains(&warning.message)),
                "{}: {code}\n{warning:#?}\n{logs:#?}",
                record["id"]
            );
        }
    }
}

#[test]
fn manifests_of_the_cases_are_accepted_or_rejected_like_recorded() {
    for case in files_in(&recorded().join("cases")) {
        let Ok(code) = std::fs::read_to_string(case.join("manifests/site.pp")) else { continue };
        let error = std::fs::read_to_string(case.join("error.txt")).unwrap_or_default();
        let found = errors(&code);
        let is_syntax = error.contains("Could not parse for environment") && !error.contains("Evaluation Error")
            || case.join("ast-site.error.txt").exists();
        assert_eq!(is_syntax, !found.is_empty(), "{}: {error}\n{found:#?}", case.display());
        for diagnostic in &found {
            let (line, column) = place(&code, diagnostic);
            let place = format!("line: {line}, column: {column}");
            assert!(
                error.contains(&place) && error.contains(&diagnostic.message),
                "{}: {diagnostic:?}\n{error}",
                case.display()
            );
        }
    }
}
