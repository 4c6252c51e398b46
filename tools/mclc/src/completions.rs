//! What a shell offers for the arguments of `mclc`.

use clap_complete::ArgValueCandidates;
use clap_complete::engine::ArgValueCompleter;
use command_line::{candidates, files_that};
use mcl_diagnostics::{LintSelector, all_codes};

use crate::documented;

/// Completes what can be checked.
pub fn sources() -> ArgValueCompleter {
    files_that(&["mcl", "pp", "epp"], &["-"])
}

/// Completes programs.
pub fn programs() -> ArgValueCompleter {
    files_that(&["mcl"], &["-"])
}

/// Completes manifests and catalogs.
pub fn manifests() -> ArgValueCompleter {
    files_that(&["pp", "json"], &["-"])
}

/// Completes the artifacts of all stages.
pub fn artifacts() -> ArgValueCompleter {
    files_that(&["bin", "tokens", "ast", "interpolated", "scoped", "typed", "fgraph"], &["-"])
}

/// Completes what a stage reads: the artifact of the stage before it, or a program.
pub fn stage_inputs() -> ArgValueCompleter {
    files_that(&["mcl", "tokens", "ast", "interpolated", "scoped", "typed"], &["-"])
}

/// Completes diagnostic codes.
pub fn codes() -> ArgValueCandidates {
    candidates(|| all_codes().map(|code| (code.name(), code.info().title)).collect())
}

/// Completes the names of lints.
pub fn lints() -> ArgValueCandidates {
    candidates(|| {
        let is_lint = |name: &str| matches!(name.parse(), Ok(LintSelector::One(_)));
        let lints = all_codes().map(|code| (code.name(), code.info().title)).filter(|(name, _)| is_lint(name));
        let sets = [("all", "all lints"), ("pedantic", "lints that are off by default"), ("warnings", "all warnings")];
        lints.chain(sets).collect()
    })
}

/// Completes the names of functions, modules and resource kinds.
pub fn documented() -> ArgValueCandidates {
    candidates(documented::names)
}
