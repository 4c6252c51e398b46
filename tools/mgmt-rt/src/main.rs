//! `mgmt-rt`: runs compiled mcl programs, and Puppet code. It contains no compiler of mcl.
//!
//! Exit status: 0 for success, 1 for a failure (the diagnostics are on standard error), 2 for an invalid command line or a
//! file that cannot be read, and 3 from `plan` if changes are pending.

mod answered;
mod apply;
mod attempts;
mod backup;
mod cli;
mod completions;
mod content_diff;
mod facts;
mod graph;
mod helper;
mod log_line;
mod manual;
mod memory;
mod output;
mod plan;
mod prefix;
mod printable;
mod program;
mod progress;
mod report;
mod restore;
mod saved_plan;
mod service;
mod signals;
mod sources;

use std::io::Write as _;
use std::process::ExitCode;

use clap_complete::Shell;

use crate::cli::{Cli, Command, TOOL};

fn main() -> ExitCode {
    signals::restore_defaults();
    match command_line::parse::<Cli>(&TOOL).command {
        Command::Apply(args) => apply::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Facts(args) => facts::run(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Completions { shell } => print_completions(shell),
        Command::ManPages { directory } => manual::run(&directory),
        Command::Helper(helper) => helper::run(&helper),
    }
}

fn print_completions(shell: Shell) -> ExitCode {
    let script = command_line::completion_script::<Cli>(&TOOL, shell);
    match script.and_then(|script| std::io::stdout().write_all(&script)) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("mgmt-rt: cannot write the completions: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
