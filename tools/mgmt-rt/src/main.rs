//! `mgmt-rt`: runs compiled mcl programs. It contains no compiler.
//!
//! Exit codes: 0 done, 1 failure (the diagnostics are on standard error), 2 usage or a file that cannot be read; `plan`
//! ends with 3 when changes are pending.

mod apply;
mod graph;
mod plan;
mod program;
mod progress;
mod report;
mod sides;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Run compiled mcl programs
#[derive(Parser)]
#[command(name = "mgmt-rt", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Bring the machine into the state that a program describes, and keep it so
    Apply(apply::Args),
    /// Show what apply would change; ends with 3 if there is something
    Plan(apply::PlanArgs),
    /// Evaluate a program until its first complete result and print the resource graph; the machine is not touched
    Graph(graph::Args),
}

/// A program is a great many small allocations: this allocator takes a third off the time from artifact to graph.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Apply(args) => apply::run(&args),
        Command::Plan(args) => apply::plan(&args),
        Command::Graph(args) => graph::run(&args),
    }
}
