//! What a shell offers for the arguments of `mgmt-rt`.

use clap_complete::ArgValueCandidates;
use clap_complete::engine::ArgValueCompleter;
use command_line::{candidates, files_that};
use pp_facts::{Machine, gather};

/// Completes compiled programs.
pub fn programs() -> ArgValueCompleter {
    files_that(&["bin"], &[])
}

/// Completes environments, catalogs and manifests.
pub fn puppet_code() -> ArgValueCompleter {
    files_that(&["bin", "json", "pp"], &[])
}

/// Completes the names of facts of this machine.
pub fn facts() -> ArgValueCandidates {
    candidates(|| {
        let facts = gather(&Machine::local());
        facts.iter().filter(|(_, fact)| !fact.legacy).map(|(name, _)| (name.to_owned(), String::new())).collect()
    })
}
