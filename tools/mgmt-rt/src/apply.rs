//! `mgmt-rt apply`: brings the machine into the state that a program describes.

use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mcl_diagnostics::{Code, Diagnostic, Files, Format, Stage};
use runtime::agent::{Agent, AgentOptions, Signals};
use runtime::sources::{GraphSource, spawn};
use runtime::{StateDir, default_prefix, functions_dir};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag::register_conditional_shutdown;
use tempfile::TempDir;

use crate::helper;
use crate::program;
use crate::progress::{LogFormat, Printer};
use crate::report;
use crate::sources::Sources;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    sources: Sources,
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
    let unprotected = args.sources.unprotected();
    if !unprotected.is_empty() {
        report::print(unprotected, &Files::default(), format);
        return ExitCode::FAILURE;
    }
    let program = match args.sources.program(format) {
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
    let options = AgentOptions {
        noop: args.noop,
        once: args.once,
        converged_timeout: args.converged_timeout.map(Duration::from_secs),
        max_parallel: args.sema.filter(|n| *n > 0),
        plan: None,
        want_diffs: false,
        state: Some(state),
        program: program.clone(),
        signals: Some(signals),
    };
    let mut printer = Printer::new(args.log_format, &files, !args.once && args.converged_timeout.is_none());
    // The process exits right afterwards, so a hundred thousand resources need not be dropped one by one.
    let mut agent = match Agent::new(options, &mut printer) {
        Ok(agent) => ManuallyDrop::new(agent),
        Err(error) => {
            eprintln!("mgmt-rt: cannot read the state in {}: {error}", prefix.display());
            return ExitCode::FAILURE;
        }
    };
    let source = GraphSource {
        program,
        load_program: args.sources.artifact.clone().map(program::loader),
        puppet: args.sources.puppet_source(),
        merger: args.sources.merger(),
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
    agent.on_reload(functions.reloader());
    let summary = agent.run();
    drop(functions);
    let ends_by_itself = args.once || args.converged_timeout.is_some();
    // The last lines may wait for a reader: a signal ends that, too.
    exit_on_signals(summary.signal);
    printer.finish(&summary, args.noop);
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

/// Returns the exit status of a command that a signal ended, as a shell shows it.
pub fn interrupted(signal: i32) -> ExitCode {
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
}

/// Lets signals end this process from now on. `first` is the signal that ended its run, if one did: it stays the reason.
pub fn exit_on_signals(first: Option<i32>) {
    for signal in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] {
        // Fails only without memory. Then the process waits for the readers of its output.
        let _ = register_conditional_shutdown(signal, 128 + first.unwrap_or(signal), Arc::new(AtomicBool::new(true)));
    }
}

/// Opens the state directory of the requested prefix.
///
/// # Errors
/// R0410 if there is no usable prefix.
fn open_state(args: &Args) -> Result<(StateDir, PathBuf), Diagnostic> {
    let prefix = match (&args.prefix, args.tmp_prefix) {
        (Some(prefix), _) => prefix.clone(),
        (None, true) => temporary_prefix()?,
        (None, false) => default_prefix().ok_or_else(|| {
            Diagnostic::error(Code::R0410, Stage::Engine, "cannot determine the state directory: HOME is not set")
                .help("set one with `--prefix DIR`, or use `--tmp-prefix`")
        })?,
    };
    let prefix = std::path::absolute(&prefix).unwrap_or(prefix);
    let state = StateDir::open(&prefix).map_err(|error| {
        Diagnostic::error(Code::R0410, Stage::Engine, error.to_string())
            .help("choose another directory with `--prefix DIR`, or use `--tmp-prefix`")
    })?;
    Ok((state, prefix))
}

fn temporary_prefix() -> Result<PathBuf, Diagnostic> {
    let directory = tempfile::Builder::new().prefix("mgmt-").tempdir();
    directory.map(TempDir::keep).map_err(|error| {
        Diagnostic::error(Code::R0410, Stage::Engine, format!("cannot create a temporary directory: {error}"))
    })
}
