//! The first complete result of a program, without touching the machine: what `graph` and `plan` start from.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use function_engine::{Engine, Interpreter, SnapshotEnvironment, Waiting};
use mcl_artifact::program::Program;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::ResourceGraph;
use resources::functions_dir;
use shared_store::SharedStore;

/// How long to wait for functions that have no value yet.
pub struct WaitLimit<'a> {
    /// The maximum time to wait.
    pub limit: Duration,
    /// Called with what the program is waiting for, once, after a few seconds.
    pub report: &'a mut dyn FnMut(Vec<Diagnostic>),
}

/// How long a program waits for first values before a notice says what it is waiting for.
pub(crate) const WAIT_NOTICE_DELAY: Duration = Duration::from_secs(3);

/// Whether functions may start commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commands {
    /// Commands are started and waited for.
    Run,
    /// What depends on the output of a command is unknown.
    Unknown,
}

/// Returns the current resource graph of a program, without automatic edges. Functions see a copy of the shared state of
/// the agent that runs with this prefix; without a prefix, that state is empty.
///
/// # Errors
/// The program failed, one of its resources or edges is invalid, or a function had no value within the limit.
pub fn first_graph(
    program: &Arc<Program>,
    hostname: &str,
    prefix: Option<&Path>,
    wait: WaitLimit<'_>,
) -> Result<ResourceGraph, Vec<Diagnostic>> {
    first_known_graph(program, hostname, prefix, wait, Commands::Run).map(|(graph, _)| graph)
}

/// Does the same as [`first_graph`]; also returns a note for each statement that is unknown because commands do not run.
///
/// # Errors
/// Those of [`first_graph`].
pub fn first_known_graph(
    program: &Arc<Program>,
    hostname: &str,
    prefix: Option<&Path>,
    wait: WaitLimit<'_>,
    commands: Commands,
) -> Result<(ResourceGraph, Vec<Diagnostic>), Vec<Diagnostic>> {
    // Some functions keep state.
    let scratch = tempfile::Builder::new().prefix("mgmt-rt-").tempdir().map_err(|error| {
        let message = format!("cannot create a temporary directory: {error}");
        vec![Diagnostic::error(Code::R0410, Stage::Engine, message)]
    })?;
    if let Some(prefix) = prefix {
        SharedStore::copy(&functions_dir(prefix), scratch.path()).map_err(|error| {
            let message = format!("cannot copy the shared state in {}: {error}", prefix.display());
            vec![Diagnostic::error(Code::R0410, Stage::Engine, message)]
        })?;
    }
    let started = Instant::now();
    let environment = SnapshotEnvironment::new(hostname.to_owned(), scratch.path().to_owned(), started);
    let environment = match commands {
        Commands::Run => environment,
        Commands::Unknown => environment.without_commands(),
    };
    let mut engine = Engine::new(Arc::clone(program), Box::new(environment)).map_err(|e| vec![e])?;
    let events = engine.events();
    let mut reported = false;
    while engine.run()?.waiting {
        let waiting = engine.waiting_for();
        if !waiting.is_empty() && waiting.iter().all(Waiting::is_unknown) {
            break;
        }
        let elapsed = started.elapsed();
        if elapsed >= wait.limit {
            return Err(engine.waiting_for().iter().map(Waiting::error).collect());
        }
        if !reported && elapsed >= WAIT_NOTICE_DELAY {
            reported = true;
            (wait.report)(engine.waiting_for().iter().map(Waiting::note).collect());
        }
        let until = if reported { wait.limit } else { wait.limit.min(WAIT_NOTICE_DELAY) };
        let until = engine.next_deadline().map_or(until, |deadline| until.min(deadline));
        events.wait(until.saturating_sub(elapsed));
    }
    Interpreter::new().interpret_known(&engine)
}
