//! What the command lines of `mclc` and `mgmt-rt` have in common: their version, shell completions, and manual pages.
//!
//! A tool declares its command line with clap and calls [`parse`]. Completions are computed by the tool itself: the script that
//! a shell loads asks it, so that they know codes, functions and files.

mod completion;
mod deferred;
mod manual;
mod tool;
mod version;

pub use completion::{candidates, completion_script, files_that};
pub use deferred::Deferred;
pub use manual::{ManualPage, Section, manual_pages};
pub use tool::{Fact, Tool};
pub use version::VERSION;

use std::ffi::OsString;
use std::io::Write as _;

use clap::Parser;
use clap::error::{ContextKind, ContextValue};

/// Parses the command line of this process. Answers a request for completions or for the version, and ends the process then,
/// or if the command line is invalid.
pub fn parse<C: Parser>(tool: &Tool) -> C {
    completion::answer::<C>(tool);
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if version::asks_for_details(&arguments[1.min(arguments.len())..]) {
        // A closed pipe is not a failure.
        let _ = std::io::stdout().write_all(version::details(tool).as_bytes());
        std::process::exit(0);
    }
    C::try_parse_from(arguments).unwrap_or_else(|mut error| {
        if let Some(advice) = (tool.advice)(&error) {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice.into()]));
        }
        error.exit()
    })
}
