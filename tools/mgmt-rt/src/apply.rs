//! `mgmt-rt apply` and `mgmt-rt plan`.

use std::io::IsTerminal as _;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;
use mcl_diagnostics::{Code, Diagnostic, Files, Format, Stage};
use runtime::frontend::{LiveSource, spawn};
use runtime::shell::{Agent, Message, Options, Signals, Summary};
use runtime::{StateDir, default_prefix, finalize, functions_dir, local_host};

use crate::plan::PlanPrinter;
use crate::progress::{LogFormat, Printer};
use crate::report;
use crate::sides::{Sides, Wait};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    sides: Sides,
    /// Change nothing, only say what would be changed
    #[arg(long)]
    noop: bool,
    /// End when nothing has changed for that many seconds
    #[arg(long, value_name = "SECONDS")]
    converged_timeout: Option<u64>,
    /// Check every resource once and end
    #[arg(long)]
    once: bool,
    /// Where to keep state
    #[arg(long, value_name = "DIR", env = "MGMT_PREFIX", conflicts_with = "tmp_prefix")]
    prefix: Option<PathBuf>,
    /// Keep state in a new temporary directory
    #[arg(long)]
    tmp_prefix: bool,
    /// At most that many resources at a time
    #[arg(long, value_name = "N")]
    sema: Option<u32>,
    /// Text for people, or one JSON object a line
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

#[derive(clap::Args)]
pub struct PlanArgs {
    #[command(flatten)]
    sides: Sides,
    #[command(flatten)]
    wait: Wait,
    /// Where apply keeps its state; only read
    #[arg(long, value_name = "DIR", env = "MGMT_PREFIX")]
    prefix: Option<PathBuf>,
    /// Text for people, or one JSON object a line
    #[arg(long, value_enum, default_value_t = PlanFormat::Text)]
    format: PlanFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanFormat {
    /// A diff
    Text,
    /// For programs
    Json,
}

pub fn run(args: &Args) -> ExitCode {
    let format = if args.log_format == LogFormat::Json { Format::Json } else { Format::Human };
    let program = match args.sides.program(format) {
        Ok(program) => program,
        Err(code) => return code,
    };
    let files = program.as_ref().map_or_else(Files::default, |p| p.files.clone());
    let (state, prefix) = match open_state(args) {
        Ok(opened) => opened,
        Err(diagnostic) => {
            report::print(vec![diagnostic], &files, format);
            return ExitCode::FAILURE;
        }
    };
    let signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            eprintln!("mgmt-rt: cannot watch signals: {error}");
            return ExitCode::FAILURE;
        }
    };
    let options = Options {
        noop: args.noop,
        once: args.once,
        converged_timeout: args.converged_timeout.map(Duration::from_secs),
        max_parallel: args.sema.filter(|n| *n > 0),
        want_diffs: false,
        state: Some(state),
        program: program.clone(),
        signals: Some(signals),
    };
    let mut printer = Printer::new(args.log_format, &files, !args.once && args.converged_timeout.is_none());
    // The process ends right after it: taking a hundred thousand resources apart one by one would be lost time.
    let mut agent = match Agent::new(options, &mut printer) {
        Ok(agent) => ManuallyDrop::new(agent),
        Err(error) => {
            eprintln!("mgmt-rt: cannot read the state in {}: {error}", prefix.display());
            return ExitCode::FAILURE;
        }
    };
    let source = LiveSource {
        program,
        puppet: args.sides.puppet_source(),
        mixer: args.sides.mixer(),
        hostname: runtime::hostname(),
        state_dir: functions_dir(&prefix),
        shared: agent.shared(),
    };
    let functions = match spawn(source, agent.handle()) {
        Ok(functions) => functions,
        Err(error) => {
            eprintln!("mgmt-rt: cannot start a thread: {error}");
            return ExitCode::FAILURE;
        }
    };
    let summary = agent.run();
    drop(functions);
    printer.finish(&summary, args.noop);
    if let Some(status) = summary.exit_status {
        return ExitCode::from(status);
    }
    // Stopping on request is no failure of the resources that had not had their turn.
    let ends_by_itself = args.once || args.converged_timeout.is_some();
    if ends_by_itself && !summary.interrupted && !summary.is_success() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Opens the state under the prefix that was asked for.
fn open_state(args: &Args) -> Result<(StateDir, PathBuf), Diagnostic> {
    let prefix = match (&args.prefix, args.tmp_prefix) {
        (Some(prefix), _) => prefix.clone(),
        (None, true) => temporary_prefix()?,
        (None, false) => default_prefix().ok_or_else(|| {
            Diagnostic::error(Code::R0410, Stage::Engine, "there is no home directory to keep state in")
                .help("give a directory with --prefix, or use --tmp-prefix")
        })?,
    };
    let prefix = std::path::absolute(&prefix).unwrap_or(prefix);
    let state = StateDir::open(&prefix).map_err(|error| {
        Diagnostic::error(Code::R0410, Stage::Engine, error.to_string())
            .help("give another directory with --prefix, or use --tmp-prefix")
    })?;
    Ok((state, prefix))
}

fn temporary_prefix() -> Result<PathBuf, Diagnostic> {
    use std::os::unix::fs::DirBuilderExt as _;
    let nanoseconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |t| t.as_nanos());
    let path = std::env::temp_dir().join(format!("mgmt-{}-{nanoseconds}", std::process::id()));
    let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
    made.map(|()| path.clone()).map_err(|error| {
        Diagnostic::error(Code::R0410, Stage::Engine, format!("cannot make {}: {error}", path.display()))
    })
}

pub fn plan(args: &PlanArgs) -> ExitCode {
    let format = if args.format == PlanFormat::Json { Format::Json } else { Format::Human };
    let program = match args.sides.program(format) {
        Ok(program) => program,
        Err(code) => return code,
    };
    let nothing = Files::default();
    let files = program.as_ref().map_or(&nothing, |p| &p.files);
    let mut tell = |notes| report::print(notes, files, format);
    let patience = args.wait.patience(&mut tell);
    let prefix = args.prefix.clone().or_else(default_prefix);
    let finished =
        args.sides.first_graph(program.as_ref(), prefix.as_deref(), patience).and_then(|(graph, warnings)| {
            report::print(warnings, files, format);
            finalize(graph, &local_host())
        });
    let graph = match finished {
        Ok(finalized) => finalized.engine,
        Err(diagnostics) => {
            let unreadable = diagnostics.iter().any(|d| d.code == Code::P0107);
            report::print(diagnostics, files, format);
            return if unreadable { ExitCode::from(2) } else { ExitCode::FAILURE };
        }
    };
    let color = std::io::stdout().is_terminal() && report::color_allowed();
    let mut printer = PlanPrinter::new(args.format, color, files);
    let options = Options {
        noop: true,
        once: true,
        want_diffs: true,
        state: prefix.map(|prefix| StateDir::read_only(&prefix)),
        program: program.clone(),
        signals: Signals::new().ok(),
        ..Options::default()
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
    printer.finish(&summary);
    match outcome(&summary) {
        Outcome::Failed => ExitCode::FAILURE,
        Outcome::Pending => ExitCode::from(3),
        Outcome::Nothing => ExitCode::SUCCESS,
    }
}

enum Outcome {
    Failed,
    Pending,
    Nothing,
}

fn outcome(summary: &Summary) -> Outcome {
    if !summary.is_success() || summary.interrupted {
        Outcome::Failed
    } else if summary.changes > 0 {
        Outcome::Pending
    } else {
        Outcome::Nothing
    }
}

/// Where a resource was written: `main.mcl:3`, or what its origin says.
pub fn place(resource: &resource_graph::Resource, files: &Files) -> Option<String> {
    let span = resource.span?;
    let name = &files.get(span.file)?.name;
    let line = files.line_col(span.file, span.start).line;
    Some(format!("{}:{line}", Path::new(&**name).display()))
}
