//! One mistake is one error, on its line: held against every program of `tests/ui` and `examples`, and the recorded Puppet programs.

use std::path::{Path, PathBuf};

use fuzz::manifest::Manifest;
use fuzz::program::Program;
use fuzz::report::Report;

/// Each token is broken in one of this many ways. Over all programs, every way is tried about equally often.
const STRIDE: usize = 61;

/// Accepted at most, in percent of the rejected programs.
const MAX_SEVERAL_ERRORS: f64 = 3.0;

/// Accepted at least, in percent of the rejected programs.
const MIN_ON_LINE: f64 = 98.0;

/// The same for manifests.
const MAX_SEVERAL_ERRORS_OF_MANIFESTS: f64 = 3.0;
const MIN_ON_LINE_OF_MANIFESTS: f64 = 97.0;

#[test]
fn a_broken_token_is_one_error_on_its_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let directories: Vec<PathBuf> = ["tests/ui", "examples"].iter().map(|directory| root.join(directory)).collect();
    check(&Report::on(&Program::accepted_in(&directories), STRIDE), MAX_SEVERAL_ERRORS, MIN_ON_LINE);
}

#[test]
fn a_broken_token_of_a_manifest_is_one_error_on_its_line() {
    check(&Report::on(&Manifest::accepted(), STRIDE), MAX_SEVERAL_ERRORS_OF_MANIFESTS, MIN_ON_LINE_OF_MANIFESTS);
}

fn check(report: &Report, max_several_errors: f64, min_on_line: f64) {
    assert!(report.rejected > 2_000, "only {} programs are rejected", report.rejected);
    assert!(
        report.percent_several_errors() <= max_several_errors && report.percent_on_line() >= min_on_line,
        "{report}"
    );
}
