//! The first complete result of a program, without touching the machine: what `graph` and `plan` start from.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use function_engine::{Engine, Interpreter, SnapshotEnvironment, Waiting};
use mcl_artifact::program::Program;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::ResourceGraph;
use resources::functions_dir;
use shared_store::SharedStore;

/// How long to wait for functions that have no value yet.
pub struct Patience<'a> {
    /// For so long.
    pub limit: Duration,
    /// Is told, when it takes a while, what is waited for.
    pub tell: &'a mut dyn FnMut(Vec<Diagnostic>),
}

/// After this time people want to know why nothing happens.
pub(crate) const A_WHILE: Duration = Duration::from_secs(3);

/// The resource graph of a program as it is now, without automatic edges. Functions see a copy of the shared state of the
/// agent that runs with this prefix; without one, that state is empty.
///
/// # Errors
/// What stops the program, or is wrong with its resources; or a function has had no value for too long.
pub fn first_graph(
    program: &Arc<Program>,
    hostname: &str,
    prefix: Option<&Path>,
    patience: Patience<'_>,
) -> Result<ResourceGraph, Vec<Diagnostic>> {
    let scratch = Scratch::new();
    if let Some(prefix) = prefix {
        SharedStore::copy(&functions_dir(prefix), &scratch.path).map_err(|error| {
            let text = format!("cannot copy the shared state in {}: {error}", prefix.display());
            vec![Diagnostic::error(Code::R0410, Stage::Engine, text)]
        })?;
    }
    let started = Instant::now();
    let host = SnapshotEnvironment::new(hostname.to_owned(), scratch.path.clone(), started);
    let mut engine = Engine::new(Arc::clone(program), Box::new(host)).map_err(|e| vec![e])?;
    let events = engine.events();
    let mut told = false;
    while engine.run()?.waiting {
        let now = started.elapsed();
        if now >= patience.limit {
            return Err(engine.waiting_for().iter().map(Waiting::error).collect());
        }
        if !told && now >= A_WHILE {
            told = true;
            (patience.tell)(engine.waiting_for().iter().map(Waiting::note).collect());
        }
        let until = if told { patience.limit } else { patience.limit.min(A_WHILE) };
        let until = engine.next_deadline().map_or(until, |deadline| until.min(deadline));
        events.wait(until.saturating_sub(now));
    }
    Interpreter::new().interpret(&engine)
}

/// A directory for functions that keep state (`local.pool`): made by the first that does, gone at the end.
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    fn new() -> Scratch {
        let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos());
        let name = format!("mgmt-rt-{}-{nanoseconds}", std::process::id());
        Scratch { path: std::env::temp_dir().join(name) }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if Path::exists(&self.path) {
            // What cannot be removed is left to whoever cleans the temporary directory.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
