//! `mgmt-rt graph`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use mcl_diagnostics::Format;

use crate::{program, report};

#[derive(clap::Args)]
pub struct Args {
    /// The program, as `mclc build` made it
    #[arg(value_name = "OUT.bin")]
    artifact: PathBuf,
    /// How to print the graph; with json, errors are JSON lines on standard error
    #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
    format: GraphFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// One object, for programs
    Json,
    /// For people
    Text,
    /// For Graphviz
    Dot,
}

pub fn run(args: &Args) -> ExitCode {
    let errors = if args.format == GraphFormat::Json { Format::Json } else { Format::Human };
    let program = match program::load(&args.artifact, errors) {
        Ok(program) => program,
        Err(code) => return code,
    };
    let graph = match runtime::first_graph(&program, &runtime::hostname()) {
        Ok(graph) => graph,
        Err(diagnostics) => {
            report::print(diagnostics, &program.files, errors);
            return ExitCode::FAILURE;
        }
    };
    let mut text = match args.format {
        GraphFormat::Json => resource_graph::json(&graph).to_string(),
        GraphFormat::Text => resource_graph::text(&graph),
        GraphFormat::Dot => resource_graph::dot(&graph),
    };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mgmt-rt: cannot write the graph: {error}");
            ExitCode::FAILURE
        }
    }
}
