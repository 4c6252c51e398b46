//! `mgmt-rt apply`: brings the machine into the state that a program describes.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use mcl_artifact::program::Program;
use mcl_diagnostics::{Diagnostic, Files, Format};
use runtime::agent::{Agent, AgentOptions, Message, Signals, Summary};
use runtime::sources::{GraphSource, SourceThread, spawn};
use runtime::{PlanSettings, StateDir, functions_dir};
use safe_fs::Backups;

use crate::apply::planned::PlannedWork;
use crate::backup::{self, Backup};
use crate::helper;
use crate::prefix::{Prefix, open_state, unusable_state};
use crate::program;
use crate::progress::{LogFormat, Printer};
use crate::report;
use crate::signals::{exit_on_signals, interrupted};
use crate::sources::Sources;

mod planned;

#[derive(clap::Args)]
#[command(mut_arg("artifact", |arg| arg.required_unless_present("plan")))]
pub struct Args {
    #[command(flatten)]
    sources: Sources,
    /// Make exactly the changes of a plan that `mgmt-rt plan -o FILE` kept, once, or refuse if they have changed
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "puppet", "puppet_fallback", "puppet_module_path", "hiera_config", "ruby_fallback", "puppet_interval", "merge_unmatched",
        "noop", "converged_timeout", "tmp_prefix",
    ])]
    plan: Option<PathBuf>,
    /// Report changes without making them
    #[arg(long)]
    noop: bool,
    /// Exit after this long without a change
    #[arg(long, value_name = "SECONDS")]
    converged_timeout: Option<u64>,
    /// Check every resource once and exit
    #[arg(long)]
    once: bool,
    /// Directory for the state of the agent
    #[arg(long, value_name = "DIR", env = "MGMT_PREFIX", conflicts_with = "tmp_prefix")]
    prefix: Option<PathBuf>,
    /// Keep the state in a new temporary directory
    #[arg(long)]
    tmp_prefix: bool,
    #[command(flatten)]
    backups: Backup,
    /// Maximum number of resources checked in parallel
    #[arg(long, value_name = "N")]
    sema: Option<u32>,
    /// Output format for changes and progress
    #[arg(long, value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT")]
    log_format: LogFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> ExitCode {
    let format = if args.log_format == LogFormat::Json { Format::Json } else { Format::Human };
    if let Some(file) = &args.plan {
        return match planned::load(file, args.sources.artifact.as_deref(), args.prefix.as_deref(), format) {
            Ok(planned) => apply(args, format, planned.program, planned.prefix.as_deref(), Work::Planned(planned.work)),
            Err(code) => code,
        };
    }
    let unprotected = args.sources.unprotected();
    if !unprotected.is_empty() {
        report::print(unprotected, &Files::default(), format);
        return ExitCode::FAILURE;
    }
    let program = match args.sources.program(format) {
        Ok(program) => program,
        Err(code) => return code,
    };
    apply(args, format, program, args.prefix.as_deref(), Work::Program)
}

/// What an agent applies.
enum Work {
    /// The graphs of the program and the catalog.
    Program,
    /// One graph, with the changes that may be made.
    Planned(PlannedWork),
}

fn apply(args: &Args, format: Format, program: Option<Arc<Program>>, prefix: Option<&Path>, work: Work) -> ExitCode {
    let files = program.as_ref().map_or_else(Files::default, |p| p.files.clone());
    let once = args.once || matches!(work, Work::Planned(_));
    let ends_by_itself = once || args.converged_timeout.is_some();
    // A run that ends is a plan. One that goes on follows the machine, which the changes in memory would hide.
    let is_plan = args.noop && ends_by_itself;
    let Storage { state, _lock, prefix, backups } = match open_storage(args, prefix, is_plan, &files, format) {
        Ok(storage) => storage,
        Err(diagnostic) => {
            report::print(vec![diagnostic], &files, format);
            return ExitCode::FAILURE;
        }
    };
    for problem in helper::prepare() {
        eprintln!("mgmt-rt: {problem}");
    }
    let signals = match Signals::new() {
        Ok(signals) => signals,
        Err(error) => {
            eprintln!("mgmt-rt: cannot watch signals: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (digest_salt, planned, graph) = match work {
        Work::Program => (None, None, None),
        Work::Planned(PlannedWork { salt, changes, graph }) => (Some(salt), Some(Arc::new(changes)), Some(graph)),
    };
    let mut printer = Printer::new(args.log_format, &files, !ends_by_itself);
    let options = AgentOptions {
        noop: args.noop && !is_plan,
        once,
        digest_salt,
        planned,
        converged_timeout: args.converged_timeout.map(Duration::from_secs),
        max_parallel: args.sema.filter(|n| *n > 0),
        plan: is_plan.then_some(PlanSettings { run_commands: true }),
        want_diffs: printer.shows_diffs(),
        state: Some(state),
        backups: backups.filter(|_| !is_plan),
        deployed: program.as_ref().map(|program| program.deploy.clone()),
        signals: Some(signals),
    };
    // The process exits right afterwards, so a hundred thousand resources need not be dropped one by one.
    let mut agent = match Agent::new(options, &mut printer) {
        Ok(agent) => ManuallyDrop::new(agent),
        Err(error) => {
            eprintln!("mgmt-rt: cannot read the state in {}: {error}", prefix.display());
            return ExitCode::FAILURE;
        }
    };
    let functions = match graph {
        Some(graph) => {
            agent.handle().send(Message::Graph(graph));
            None
        }
        None => match start_sources(args, program, &prefix, &agent) {
            Ok(functions) => Some(functions),
            Err(error) => {
                eprintln!("mgmt-rt: cannot start a thread: {error}");
                return ExitCode::FAILURE;
            }
        },
    };
    if let Some(functions) = &functions {
        agent.on_reload(functions.reloader());
    }
    let summary = agent.run();
    drop(functions);
    // The last lines may wait for a reader: a signal ends that, too.
    exit_on_signals(summary.signal);
    printer.finish(&summary, args.noop);
    exit_code(&summary, ends_by_itself)
}

/// Where a run keeps its state, and the old content of files.
struct Storage {
    state: StateDir,
    /// The state directory of a plan, which works on a copy in memory. Functions store their state on the disk nevertheless,
    /// so the directory stays locked.
    _lock: Option<StateDir>,
    prefix: PathBuf,
    backups: Option<Arc<Backups>>,
}

/// Opens the state directory and the store of backups.
///
/// # Errors
/// R0410 or R0416 if one of them cannot be used.
fn open_storage(
    args: &Args,
    prefix: Option<&Path>,
    is_plan: bool,
    files: &Files,
    format: Format,
) -> Result<Storage, Diagnostic> {
    let (state, prefix) = open_state(match prefix {
        Some(prefix) => Prefix::Given(prefix),
        None if args.tmp_prefix => Prefix::Temporary,
        None => Prefix::Default,
    })?;
    let backups = args.backups.open(&state)?;
    if let Some(warning) = backups.as_deref().and_then(backup::lost) {
        report::print(vec![warning], files, format);
    }
    if is_plan {
        let overlay = StateDir::overlay(&prefix).map_err(|error| unusable_state(&error))?;
        return Ok(Storage { state: overlay, _lock: Some(state), prefix, backups });
    }
    Ok(Storage { state, _lock: None, prefix, backups })
}

/// Starts the thread that makes resource graphs of the program and the catalog.
///
/// # Errors
/// The system refuses another thread.
fn start_sources(
    args: &Args,
    program: Option<Arc<Program>>,
    prefix: &Path,
    agent: &Agent<'_>,
) -> std::io::Result<SourceThread> {
    let source = GraphSource {
        program,
        load_program: args.sources.artifact.clone().map(program::loader),
        puppet: args.sources.puppet_source(),
        merger: args.sources.merger(),
        hostname: runtime::hostname(),
        state_dir: functions_dir(prefix),
        shared: agent.shared(),
    };
    spawn(source, agent.handle())
}

/// Returns the exit status of a run.
fn exit_code(summary: &Summary, ends_by_itself: bool) -> ExitCode {
    if let Some(status) = summary.exit_status {
        return ExitCode::from(status);
    }
    if !ends_by_itself {
        // A signal is how an agent ends.
        return ExitCode::SUCCESS;
    }
    match summary.signal {
        Some(signal) if summary.is_incomplete() => interrupted(signal),
        _ if summary.is_incomplete() || !summary.is_success() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    }
}
