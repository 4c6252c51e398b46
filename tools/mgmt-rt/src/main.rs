//! `mgmt-rt`: runs compiled mcl programs, and Puppet code. It contains no compiler of mcl.
//!
//! Exit status: 0 for success, 1 for a failure (the diagnostics are on standard error), 2 for an invalid command line or a
//! file that cannot be read, and 3 from `plan` if changes are pending.

mod apply;
mod attempts;
mod backup;
mod facts;
mod graph;
mod helper;
mod log_line;
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

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Runtime for compiled mcl programs and Puppet code
#[derive(Parser)]
#[command(name = "mgmt-rt", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Bring the machine into the state that a program describes, and keep it there
    Apply(apply::Args),
    /// Show what `apply` would change; exits with status 3 if changes are pending
    Plan(plan::Args),
    /// Print the resource graph of a program, without changing the machine
    Graph(graph::Args),
    /// Print the facts of this machine, as `facter` does
    Facts(facts::Args),
    /// Restore what `apply --backup` kept of a file, a link or a directory
    Restore(restore::Args),
    /// A process of a running agent
    #[command(subcommand, hide = true)]
    Helper(helper::Helper),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Apply(args) => apply::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Facts(args) => facts::run(&args),
        Command::Restore(args) => restore::run(&args),
        Command::Helper(helper) => helper::run(&helper),
    }
}
