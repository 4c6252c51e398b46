//! `mgmt-rt`: runs compiled mcl programs, and Puppet code. It contains no compiler of mcl.
//!
//! Exit status: 0 for success, 1 for a failure (the diagnostics are on standard error), 2 for an invalid command line or a
//! file that cannot be read, and 3 from `plan` if changes are pending.

mod apply;
mod attempts;
mod backup;
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
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use clap_complete::Shell;
use command_line::{Tool, VERSION};

/// What the command line has in common with that of `mclc`.
const TOOL: Tool = Tool {
    name: "mgmt-rt",
    completion_variable: "MGMT_RT_COMPLETE",
    facts: &[("artifact format", || mcl_artifact::FORMAT_VERSION.to_string())],
};

/// Runtime for compiled mcl programs and Puppet code
#[derive(Parser)]
#[command(name = "mgmt-rt", version = VERSION, arg_required_else_help = true)]
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
    /// Print the completion script for a shell
    Completions {
        /// The shell to complete commands in
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write the manual pages to a directory, for packages
    #[command(hide = true)]
    ManPages {
        /// The directory, which must exist
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// A process of a running agent
    #[command(subcommand, hide = true)]
    Helper(helper::Helper),
}

fn main() -> ExitCode {
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
