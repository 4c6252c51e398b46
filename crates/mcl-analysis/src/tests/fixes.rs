//! Fixes: a program before and after (spec 11 §10).
//!
//! The cases are in `fixes/*.txt`. Each starts with a line `=== CODE title of the fix`, then come the program, a line `---`, and
//! what the fix makes of it. `BLESS=1` writes what it makes now.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mcl_diagnostics::{LintLevel, LintSelector, all_codes};

use super::*;
use crate::edits::apply_edits;
use crate::parses::parses;

struct Case<'t> {
    code: &'t str,
    title: &'t str,
    before: &'t str,
    after: &'t str,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let parts = text.split("=== ").skip(1);
    let case = |part| {
        let (head, programs) = str::split_once(part, '\n').expect("a line with the code and the title");
        let (code, title) = head.split_once(' ').expect("a title after the code");
        let (before, after) = programs.split_once("---\n").expect("what the fix makes of the program");
        Case { code, title, before, after }
    };
    parts.map(case).collect()
}

/// Analyses a text with the lints that are off by default.
fn analyze_pedantic(text: &str) -> Analysis {
    let mut workspace = Workspace::new(None);
    workspace.open(main_path(), text);
    let pedantic = all_codes().filter(|code| code.is_pedantic());
    workspace.set_options(None, pedantic.map(|code| (LintSelector::One(code), LintLevel::Warn)).collect());
    Analyzer::default().analyze(&workspace.sources())
}

/// Returns how often each error and each finding of a code is found.
fn counts(analysis: &Analysis, code: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for finding in analysis.findings().into_values().flatten() {
        if finding.severity == mcl_diagnostics::Severity::Error || finding.code.name() == code {
            *counts.entry(finding.code.name().to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Returns the program after the fix. Whatever the fix, the program parses, has one finding less, and no new error.
fn fixed(case: &Case<'_>) -> String {
    let analysis = analyze_pedantic(case.before);
    let fixes = analysis.quick_fixes(&main_path(), &(0..case.before.len() as u32));
    let found = fixes.iter().find(|fix| fix.title == case.title && fix.finding.code.name() == case.code);
    let offered: Vec<String> = fixes.iter().map(|fix| format!("{} {}", fix.finding.code.name(), fix.title)).collect();
    let fix = found.unwrap_or_else(|| panic!("no fix {:?} among {offered:#?} for\n{}", case.title, case.before));
    let after = apply_edits(case.before, &fix.edits[&main_path()]);
    assert!(parses(&after), "{}", after);
    let (before, now) = (counts(&analysis, case.code), counts(&analyze_pedantic(&after), case.code));
    let of = |counts: &BTreeMap<String, usize>, code: &str| counts.get(code).copied().unwrap_or_default();
    assert!(of(&now, case.code) < of(&before, case.code), "{} is still there in\n{after}", case.code);
    // An error of syntax hides those of later stages.
    if !case.code.starts_with("E01") && !case.code.starts_with("E02") {
        assert!(now.keys().all(|code| of(&now, code) <= of(&before, code)), "{now:?}, before {before:?}, in\n{after}");
    }
    after
}

#[test]
fn fixes_mend_what_they_are_for() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tests/fixes");
    let files = std::fs::read_dir(&directory).expect("the directory of the cases").flatten();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file of the cases");
        let now: Vec<(Case<'_>, String)> =
            cases(&text).into_iter().map(|case| (fixed(&case), case)).map(|(after, case)| (case, after)).collect();
        if std::env::var_os("BLESS").is_some() {
            let written: String = now
                .iter()
                .map(|(case, after)| format!("=== {} {}\n{}---\n{after}", case.code, case.title, case.before))
                .collect();
            std::fs::write(&path, written).expect("the file of the cases");
        } else {
            for (case, after) in now {
                assert_eq!(after, case.after, "{} {} of {}", case.code, case.title, path.display());
            }
        }
    }
}

#[test]
fn all_safe_fixes_of_a_file_are_applied_together() {
    let text = "import \"fmt\"\n$l = [1, 2,]\n$m = [3, 4,]\nfile \"/a\" {\n\tstate => \"exist\",\n}\n$n = $mm\n";
    let analysis = analyze(text);
    let after = apply_edits(text, &analysis.fix_all(&main_path()));
    // Neither the error, nor what would be a guess.
    assert_eq!(after, "import \"fmt\"\n$l = [1, 2]\n$m = [3, 4]\nfile \"/a\" {\n\tstate => \"exist\",\n}\n$n = $mm\n");
    assert_eq!(analyze("$l = [1, 2,]\n$m = [\n").fix_all(&main_path()), []);
    let quotes = analyze("$l = [1, 2,]\n$m = 'a'\n$n = [\n").fix_all(&main_path());
    assert_eq!(apply_edits("$l = [1, 2,]\n$m = 'a'\n$n = [\n", &quotes), "$l = [1, 2,]\n$m = \"a\"\n$n = [\n");
}

#[test]
fn unused_imports_are_removed_and_nothing_is_reordered() {
    let text = "import \"strings\"\nimport \"fmt\"\nimport \"net\"\n\nprint \"p\" {\n\tmsg => fmt.printf(\"a\"),\n}\n$l = [1,]\n";
    let after = apply_edits(text, &analyze(text).organize_imports(&main_path()));
    assert_eq!(after, "import \"fmt\"\n\nprint \"p\" {\n\tmsg => fmt.printf(\"a\"),\n}\n$l = [1,]\n");
}
