//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;
use command_line::{Deferred, Tool, VERSION};

use crate::{apply, facts, graph, helper, plan, restore};

/// What the command line has in common with that of `mclc`.
pub const TOOL: Tool = Tool {
    name: "mgmt-rt",
    completion_variable: "MGMT_RT_COMPLETE",
    facts: &[("artifact format", || mcl_artifact::FORMAT_VERSION.to_string())],
    advice: |_| None,
};

/// Runtime for compiled mcl programs and Puppet code
#[derive(Parser)]
#[command(name = "mgmt-rt", version = VERSION, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Bring the machine into the state that a program describes, and keep it there
    Apply(Deferred<apply::Args>),
    /// Show what `apply` would change; exits with status 3 if changes are pending
    Plan(Deferred<plan::Args>),
    /// Print the resource graph of a program, without changing the machine
    Graph(Deferred<graph::Args>),
    /// Print the facts of this machine, as `facter` does
    Facts(Deferred<facts::Args>),
    /// Restore what `apply --backup` kept of a file, a link or a directory
    Restore(Deferred<restore::Args>),
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
