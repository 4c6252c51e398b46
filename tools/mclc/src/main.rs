//! `mclc`, the mcl compiler: checks, builds, and explains programs.
//!
//! Each subcommand is a module with a `run` function that returns the exit status: 0 for success, 1 if the program has
//! errors, 2 if the command line is invalid or a file cannot be read or written.

mod build;
mod check;
mod check_puppet;
mod cli;
mod completions;
mod diff;
mod doc;
mod documented;
mod explain;
mod fix;
mod fmt;
mod format;
mod get;
mod inspect;
mod levels;
mod lines;
mod lint_names;
mod lsp;
mod manual;
mod memory;
mod new;
mod output;
mod paths;
mod puppet;
mod report;
mod run;
mod stage;
mod status;
mod test;
mod watch;

use std::process::ExitCode;

use mcl_artifact::ArtifactStage;

use crate::cli::{Cli, Command, TOOL};

fn main() -> ExitCode {
    let cli: Cli = command_line::parse(&TOOL);
    let status = match &cli.command {
        Command::Check(args) => check::run(args, cli.color),
        Command::Fmt(args) => fmt::run(args, cli.color),
        Command::Build(args) => build::run(args, cli.color),
        Command::Run(args) => run::run(args, cli.color),
        Command::New(args) => new::new(args),
        Command::Init(args) => new::init(args),
        Command::Test(args) => test::run(args, cli.color),
        Command::Get(args) => get::run(args, cli.color),
        Command::Inspect(args) => inspect::run(args, cli.color),
        Command::Lex(args) => stage::run(args, ArtifactStage::Tokens, cli.color),
        Command::Parse(args) => stage::run(args, ArtifactStage::Ast, cli.color),
        Command::Interpolate(args) => stage::run(args, ArtifactStage::Interpolated, cli.color),
        Command::Scope(args) => stage::run(args, ArtifactStage::Scoped, cli.color),
        Command::Unify(args) => stage::run(args, ArtifactStage::Typed, cli.color),
        Command::Fgraph(args) => stage::run(args, ArtifactStage::Fgraph, cli.color),
        Command::Lsp(args) => lsp::run(args),
        Command::Explain(args) => explain::run(args, cli.color),
        Command::Doc(args) => doc::run(args),
        Command::Puppet(args) => puppet::run(args, cli.color),
        Command::Completions { shell } => match command_line::completion_script::<Cli>(&TOOL, *shell) {
            Ok(script) => output::stdout(&script),
            Err(error) => output::unusable(error),
        },
        Command::ManPages { directory } => manual::write(directory),
    };
    ExitCode::from(status)
}
