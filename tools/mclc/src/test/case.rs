//! One test: runs it, and compares its result with the expectation beside it.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcl_diagnostics::{Diagnostic, FileId, Files};
use mcl_modules::Input;

use crate::cli::{Color, Report, Test};
use crate::format::Format;
use crate::output::{self, reason};
use crate::report::{self, Checked};
use crate::test::difference::difference;
use crate::test::evaluate::{Outcome, evaluate, program_of, step_title};
use crate::test::find::{error_file, graph_file};
use crate::test::header::{self, Header};

/// A test that was run.
pub struct Case {
    /// Its path.
    pub name: String,
    pub verdict: Verdict,
    pub time: Duration,
}

/// What became of a test.
pub enum Verdict {
    Passed,
    /// Its expectation was written to this file.
    Blessed(PathBuf),
    Failed {
        why: String,
        /// More lines: a difference, or diagnostics.
        details: String,
    },
    /// It could not be run.
    Unusable(String),
}

/// The result of a test, as it is compared and written.
struct Found {
    /// Where it is expected.
    file: PathBuf,
    /// Where it would be expected if it were of the other kind: a graph or errors.
    other: PathBuf,
    text: String,
    locations: BTreeMap<String, String>,
    /// The errors for people; empty if there are none.
    errors: String,
}

/// Why an expectation cannot be compared.
enum ExpectationError {
    Unreadable { path: PathBuf, error: io::Error },
}

impl fmt::Display for ExpectationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExpectationError::Unreadable { path, error } = self;
        write!(f, "cannot read `{}`: {}", path.display(), reason(error))
    }
}

/// Runs a test.
pub fn run(test: &Path, args: &Test, color: Color) -> Case {
    let start = Instant::now();
    let verdict = verdict(test, args, color);
    Case { name: test.display().to_string(), verdict, time: start.elapsed() }
}

/// Returns the failure of an expectation without a test.
pub fn stale(file: &Path) -> Case {
    let test = file.with_extension("mcl");
    let why = format!("there is no test `{}`", test.display());
    let details = "remove the expectation, or restore the test\n".to_owned();
    let verdict = Verdict::Failed { why, details };
    Case { name: file.display().to_string(), verdict, time: Duration::ZERO }
}

fn verdict(test: &Path, args: &Test, color: Color) -> Verdict {
    let text = match std::fs::read(test) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => {
            return Verdict::Unusable(format!("cannot read `{}`: {}", test.display(), reason(&error)));
        }
    };
    let header = match header::parse(FileId::MAIN, &text) {
        Ok(header) => header,
        Err(errors) => {
            let mut files = Files::default();
            files.add(test.display().to_string(), text);
            let details = rendered(files, String::new(), errors, color);
            return Verdict::Failed { why: "a comment of the test is invalid".to_owned(), details };
        }
    };
    let outcome = match evaluate(test, &header, args.module_path.as_deref()) {
        // A value of this machine can be expected as little as any other.
        Ok(Outcome::Errors(errors)) if errors.is_incomplete() => {
            let details = rendered(errors.files, prefix(test, &header), errors.diagnostics, color);
            return Verdict::Failed { why: "the test does not say what the program asks for".to_owned(), details };
        }
        Ok(outcome) => outcome,
        Err(error) => return Verdict::Unusable(error.to_string()),
    };
    let found = found(test, &header, outcome, color);
    if args.bless { bless(&found) } else { compare(test, &found).unwrap_or_else(|e| Verdict::Unusable(e.to_string())) }
}

fn found(test: &Path, header: &Header, outcome: Outcome, color: Color) -> Found {
    let prefix = prefix(test, header);
    match outcome {
        Outcome::Graphs(graphs) => {
            let mut text = String::new();
            let mut locations = BTreeMap::new();
            for (step, graph) in graphs.into_iter().enumerate() {
                if step > 0 {
                    text += &step_title(step);
                }
                text += &graph.text;
                locations.extend(graph.locations);
            }
            for location in locations.values_mut() {
                *location = path_clean::clean(format!("{prefix}{location}")).display().to_string();
            }
            Found { file: graph_file(test), other: error_file(test), text, locations, errors: String::new() }
        }
        Outcome::Errors(errors) => {
            let text = errors.text();
            let errors = rendered(errors.files, prefix, errors.diagnostics, color);
            let locations = BTreeMap::new();
            Found { file: error_file(test), other: graph_file(test), text, locations, errors }
        }
    }
}

/// Returns the path to the directory of the tested program.
fn prefix(test: &Path, header: &Header) -> String {
    Input::from_path(&program_of(test, header)).map(|input| input.prefix()).unwrap_or_default()
}

fn rendered(files: Files, prefix: String, diagnostics: Vec<Diagnostic>, color: Color) -> String {
    let checked = Checked::new(files, prefix, diagnostics, &Report::default());
    report::text(&[checked], Format::Human, report::style(color, &io::stdout()))
}

/// Compares the result with the expectation.
fn compare(test: &Path, found: &Found) -> Result<Verdict, ExpectationError> {
    let (same, other) = (read(&found.file)?, read(&found.other)?);
    let has_errors = !found.errors.is_empty();
    let bless = format!("accept what the test gives with `mclc test --bless {}`\n", test.display());
    let failed = |why: String, details: String| Ok(Verdict::Failed { why, details });
    match (same, other) {
        (Some(_), Some(_)) => {
            let (file, other) = (found.file.display(), found.other.display());
            failed(format!("both `{file}` and `{other}` exist"), "remove one of them, or bless the test\n".to_owned())
        }
        (None, None) if has_errors => failed("the program has errors".to_owned(), found.errors.clone()),
        (None, None) => failed(format!("there is no expectation `{}`", found.file.display()), bless),
        (None, Some(_)) if has_errors => {
            failed(format!("expected the graph in `{}`, found errors", found.other.display()), found.errors.clone())
        }
        (None, Some(_)) => {
            let expected = found.other.display();
            failed(format!("expected the errors in `{expected}`, found a graph"), bless)
        }
        (Some(expected), None) if expected == found.text => Ok(Verdict::Passed),
        (Some(expected), None) => {
            let details = difference(&expected, &found.text, &found.locations);
            failed(format!("differs from `{}`", found.file.display()), details)
        }
    }
}

fn read(path: &Path) -> Result<Option<String>, ExpectationError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ExpectationError::Unreadable { path: path.to_owned(), error }),
    }
}

/// Writes the result as the expectation.
fn bless(found: &Found) -> Verdict {
    let is_current = read(&found.file).is_ok_and(|text| text.as_deref() == Some(&*found.text));
    let has_other = found.other.exists();
    if is_current && !has_other {
        return Verdict::Passed;
    }
    if let Err(error) = output::save(&found.file, found.text.as_bytes()) {
        return Verdict::Unusable(format!("cannot write `{}`: {}", found.file.display(), reason(&error)));
    }
    match std::fs::remove_file(&found.other) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Verdict::Unusable(format!("cannot remove `{}`: {}", found.other.display(), reason(&error)))
        }
        _ => Verdict::Blessed(found.file.clone()),
    }
}
