//! `mgmt-rt graph`: evaluates a program until its first complete result and prints the resource graph.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use mcl_diagnostics::{Files, Format};

use crate::answered;
use crate::report;
use crate::sources::{Sources, Wait, finalized};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    sources: Sources,
    #[command(flatten)]
    wait: Wait,
    /// State directory of `mgmt-rt apply`: functions see a copy of the values that hosts share [default: no values]
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Output format; with `json`, diagnostics are JSON objects on standard error
    #[arg(long, value_enum, default_value_t = GraphFormat::Text, value_name = "FORMAT")]
    format: GraphFormat,
    /// Ask this machine nothing: functions have the values in this file, as written by `mclc test`; prints a JSON object
    /// for each state of the machine in it
    #[arg(long, value_name = "FILE", hide = true, conflicts_with_all = ["prefix", "format", "facts"])]
    answers: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// A JSON object
    Json,
    /// A readable list of resources and edges
    Text,
    /// A graph for Graphviz
    Dot,
}

/// Runs the command.
pub fn run(args: &Args) -> ExitCode {
    if let Some(answers) = &args.answers {
        return answered::run(&args.sources, answers);
    }
    let errors = if args.format == GraphFormat::Json { Format::Json } else { Format::Human };
    report::print(args.sources.unprotected_warnings(), &Files::default(), errors);
    let program = match args.sources.program(errors) {
        Ok(program) => program,
        Err(code) => return code,
    };
    let nothing = Files::default();
    let files = program.as_ref().map_or(&nothing, |p| &p.files);
    let mut report = |notes| report::print(notes, files, errors);
    let wait = args.wait.limit(&mut report);
    let first = args.sources.first_graph(program.as_ref(), args.prefix.as_deref(), wait, args.wait.commands());
    let graph = match finalized(first, files, errors) {
        Ok(first) => first.finalized.graph,
        Err(code) => return code,
    };
    let mut text = match args.format {
        GraphFormat::Json => resource_graph::json_text(&graph),
        GraphFormat::Text => resource_graph::text(&graph),
        GraphFormat::Dot => resource_graph::dot(&graph),
    };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    report::print_result("the graph", &text)
}
