//! `mgmt-rt plan`: shows what `mgmt-rt apply` would change.

use std::io::IsTerminal as _;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::process::ExitCode;

use mcl_diagnostics::{Code, Files, Format};
use runtime::agent::{Agent, AgentOptions, Message, Signals, Summary};
use runtime::{Commands, PlanSettings, StateDir, default_prefix, finalize, local_host};

use crate::apply::{exit_on_signals, interrupted};
use crate::helper;
use crate::plan::printer::{PlanFormat, PlanPrinter};
use crate::report;
use crate::sources::{Sources, Wait};

mod printer;

/// The exit status when changes are pending.
const PENDING: u8 = 3;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    sources: Sources,
    #[command(flatten)]
    wait: Wait,
    /// State directory of `mgmt-rt apply`; it is only read
    #[arg(long, value_name = "DIR", env = "MGMT_PREFIX")]
    prefix: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = PlanFormat::Text, value_name = "FORMAT")]
    format: PlanFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> ExitCode {
    let format = if args.format == PlanFormat::Json { Format::Json } else { Format::Human };
    report::print(args.sources.unprotected_warnings(), &Files::default(), format);
    let program = match args.sources.program(format) {
        Ok(program) => program,
        Err(code) => return code,
    };
    let nothing = Files::default();
    let files = program.as_ref().map_or(&nothing, |p| &p.files);
    let mut report = |notes| report::print(notes, files, format);
    let wait = args.wait.limit(&mut report);
    let prefix = args.prefix.clone().or_else(default_prefix);
    let prefix = prefix.map(|prefix| std::path::absolute(&prefix).unwrap_or(prefix));
    let finished = args.sources.first_graph(program.as_ref(), prefix.as_deref(), wait, args.wait.commands());
    let mut has_unknown = false;
    let finished = finished.and_then(|(graph, warnings)| {
        has_unknown = warnings.iter().any(|warning| warning.code == Code::R0107);
        report::print(warnings, files, format);
        finalize(graph, &local_host())
    });
    let graph = match finished {
        Ok(finalized) => {
            report::print(finalized.notes, files, format);
            finalized.engine
        }
        Err(diagnostics) => {
            let unreadable = diagnostics.iter().any(|d| d.code == Code::P0107);
            report::print(diagnostics, files, format);
            return if unreadable { ExitCode::from(2) } else { ExitCode::FAILURE };
        }
    };
    for problem in helper::prepare() {
        eprintln!("mgmt-rt: {problem}");
    }
    let color = std::io::stdout().is_terminal() && report::color_allowed();
    let mut printer = PlanPrinter::new(args.format, color, files);
    let options = AgentOptions {
        plan: Some(PlanSettings { run_commands: matches!(args.wait.commands(), Commands::Run) }),
        once: true,
        want_diffs: true,
        state: prefix.map(|prefix| StateDir::overlay(&prefix)),
        program: program.clone(),
        signals: Signals::new().ok(),
        ..AgentOptions::default()
    };
    let summary = match Agent::new(options, &mut printer) {
        Ok(agent) => {
            let mut agent = ManuallyDrop::new(agent);
            agent.handle().send(Message::Graph(Box::new(graph)));
            agent.run()
        }
        Err(error) => {
            eprintln!("mgmt-rt: {error}");
            return ExitCode::FAILURE;
        }
    };
    exit_on_signals(summary.signal);
    printer.finish(&summary);
    match outcome(&summary, has_unknown) {
        Outcome::Interrupted(signal) => interrupted(signal),
        Outcome::Failed => ExitCode::FAILURE,
        Outcome::Pending => ExitCode::from(PENDING),
        Outcome::Nothing => ExitCode::SUCCESS,
    }
}

enum Outcome {
    Interrupted(i32),
    Failed,
    Pending,
    Nothing,
}

fn outcome(summary: &Summary, has_unknown: bool) -> Outcome {
    if let Some(signal) = summary.signal.filter(|_| summary.is_incomplete()) {
        Outcome::Interrupted(signal)
    } else if !summary.is_success() || summary.interrupted {
        Outcome::Failed
    } else if summary.changes > 0 || has_unknown {
        Outcome::Pending
    } else {
        Outcome::Nothing
    }
}
