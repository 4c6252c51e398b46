//! `mgmt-rt plan`: shows what `mgmt-rt apply` would change.

use std::io::IsTerminal as _;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use mcl_artifact::program::Program;
use mcl_diagnostics::{Diagnostic, Files, Format};
use runtime::agent::{Agent, AgentOptions, Message, PlanRecorder, Signals, Summary};
use runtime::{Commands, PlanSettings, StateDir, default_prefix};

use crate::helper;
use crate::plan::printer::{PlanFormat, PlanPrinter};
use crate::prefix::unusable_state;
use crate::program;
use crate::report;
use crate::saved_plan::{self, SavedPlan};
use crate::signals::{exit_on_signals, interrupted};
use crate::sources::{Sources, Wait, finalized};

mod order;
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
    /// Keep the plan in a file, for `mgmt-rt apply --plan FILE`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &Args) -> ExitCode {
    let format = if args.format == PlanFormat::Json { Format::Json } else { Format::Human };
    report::print(args.sources.unprotected_warnings(), &Files::default(), format);
    let (artifact, program) = match artifact(&args.sources, format) {
        Ok(artifact) => artifact,
        Err(code) => return code,
    };
    let nothing = Files::default();
    let files = program.as_ref().map_or(&nothing, |p| &p.files);
    let prefix = args.prefix.clone().or_else(default_prefix);
    let prefix = prefix.map(|prefix| std::path::absolute(&prefix).unwrap_or(prefix));
    // The shared state of an unsafe directory is not read.
    let options = match options(&args.wait, prefix.as_deref()) {
        Ok(options) => options,
        Err(diagnostic) => {
            report::print(vec![diagnostic], files, format);
            return ExitCode::FAILURE;
        }
    };
    let mut report = |notes| report::print(notes, files, format);
    let wait = args.wait.limit(&mut report);
    let first = args.sources.first_graph(program.as_ref(), prefix.as_deref(), wait, args.wait.commands());
    let (graph, has_unknown) = match finalized(first, files, format) {
        Ok(first) => (first.finalized.engine, first.has_unknown),
        Err(code) => return code,
    };
    for problem in helper::prepare() {
        eprintln!("mgmt-rt: {problem}");
    }
    let salt = match args.output.as_ref().map(|_| saved_plan::new_salt()).transpose() {
        Ok(salt) => salt,
        Err(error) => {
            eprintln!("mgmt-rt: cannot read random bytes: {error}");
            return ExitCode::FAILURE;
        }
    };
    let color = std::io::stdout().is_terminal() && report::color_allowed();
    let mut printer = PlanPrinter::new(args.format, color, files, order::places(&graph));
    let options = AgentOptions {
        want_diffs: true,
        digest_salt: salt,
        deployed: program.as_ref().map(|program| program.deploy.clone()),
        signals: Signals::new().ok(),
        ..options
    };
    let mut recorder = PlanRecorder::new(Some(&mut printer));
    let kept_graph = salt.map(|_| graph.clone());
    let summary = match Agent::new(options, &mut recorder) {
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
    let changes = kept_graph.map(|graph| recorder.finish(&graph).0);
    if let Err(error) = printer.finish(&summary) {
        eprintln!("mgmt-rt: cannot write the plan: {error}");
        return ExitCode::FAILURE;
    }
    let outcome = outcome(&summary, has_unknown);
    if let (Some(file), Some(salt), Some(changes)) = (&args.output, salt, changes) {
        let mut plan = SavedPlan::new(&args.sources, artifact, prefix.as_deref(), &args.wait, salt);
        plan.changes = changes;
        if let Err(code) = keep(&plan, file, &outcome, has_unknown) {
            return code;
        }
    }
    match outcome {
        Outcome::Interrupted(signal) => interrupted(signal),
        Outcome::Failed => ExitCode::FAILURE,
        Outcome::Pending => ExitCode::from(PENDING),
        Outcome::Nothing => ExitCode::SUCCESS,
    }
}

/// The content of an artifact, and the program in it.
type Artifact = (Option<Vec<u8>>, Option<Arc<Program>>);

/// Returns the content of the artifact and its program; what is wrong with it has been printed when this fails.
fn artifact(sources: &Sources, format: Format) -> Result<Artifact, ExitCode> {
    let Some(path) = &sources.artifact else { return Ok((None, None)) };
    let bytes = program::read(path)?;
    let program = program::load(path, &bytes, format)?;
    Ok((Some(bytes), Some(program)))
}

/// Returns the options of an agent that plans.
///
/// # Errors
/// R0410 if the state directory cannot be used, as for `apply`.
pub fn options(wait: &Wait, prefix: Option<&Path>) -> Result<AgentOptions, Diagnostic> {
    Ok(AgentOptions {
        plan: Some(PlanSettings { run_commands: matches!(wait.commands(), Commands::Run) }),
        once: true,
        state: prefix.map(StateDir::overlay).transpose().map_err(|error| unusable_state(&error))?,
        ..AgentOptions::default()
    })
}

/// Writes a plan that can be applied. When this fails, the reason has been printed.
fn keep(plan: &SavedPlan, file: &Path, outcome: &Outcome, has_unknown: bool) -> Result<(), ExitCode> {
    let problem = match outcome {
        Outcome::Interrupted(_) => return Ok(()),
        Outcome::Failed => "some of its resources fail".to_owned(),
        Outcome::Pending | Outcome::Nothing if has_unknown => {
            "parts of the program are unknown without the output of commands; use `--run-commands`".to_owned()
        }
        Outcome::Pending | Outcome::Nothing => match plan.write(file) {
            Ok(()) => return Ok(()),
            Err(error) => format!("cannot write {}: {error}", file.display()),
        },
    };
    eprintln!("mgmt-rt: the plan is not kept: {problem}");
    Err(ExitCode::FAILURE)
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
