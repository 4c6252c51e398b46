//! `mclc test`: compares what the tests of a module give with what is expected (spec 11 §6).
//!
//! A test is a program whose head says what the machine is like ([`header`]). `mgmt-rt` evaluates it, asks the machine nothing
//! ([`evaluate`]), and the result is compared with the file beside the test ([`case`]).

mod case;
mod difference;
mod evaluate;
mod find;
mod header;
mod literal;
mod summary;

use std::time::Instant;

use rayon::prelude::*;

use crate::cli::{Color, Test};
use crate::output;
use crate::output::unusable;
use crate::status::{ERRORS, UNUSABLE};
use crate::test::case::{Case, Verdict};
use crate::test::find::Found;

/// Runs tests in parallel. The report is the result of this command and goes to standard output.
pub fn run(args: &Test, color: Color) -> u8 {
    let start = Instant::now();
    let Found { mut tests, mut stale } = match find::find(&args.paths) {
        Ok(found) => found,
        Err(error) => return unusable(error),
    };
    if tests.is_empty() && stale.is_empty() {
        let paths: Vec<String> = args.paths.iter().map(|path| format!("`{}`", path.display())).collect();
        return unusable(format_args!(
            "no tests in {}: a test is a `.mcl` file below a directory `tests`; `mclc init` makes one",
            paths.join(", ")
        ));
    }
    if let Some(filter) = &args.filter {
        let count = tests.len();
        tests.retain(|test| test.to_string_lossy().contains(&**filter));
        stale.retain(|file| file.to_string_lossy().contains(&**filter));
        if tests.is_empty() && stale.is_empty() {
            return unusable(format_args!("none of {count} tests has `{filter}` in its path"));
        }
    }
    let mut cases: Vec<Case> = tests.into_par_iter().map(|test| case::run(&test, args, color)).collect();
    cases.extend(stale.iter().map(|file| case::stale(file)));
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    let status = cases.iter().map(|case| match case.verdict {
        Verdict::Passed | Verdict::Blessed(_) => 0,
        Verdict::Failed { .. } => ERRORS,
        Verdict::Unusable(_) => UNUSABLE,
    });
    let status = status.max().unwrap_or(0);
    let text = summary::text(&cases, args.format, start.elapsed(), color);
    status.max(output::stdout(text.as_bytes()))
}
