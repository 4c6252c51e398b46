//! The first complete result of a program, without touching the machine: what `graph` and `plan` start from.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcl_artifact::program::Program;
use mcl_diagnostics::Diagnostic;
use resource_graph::ResourceGraph;

use crate::function_engine::{Engine, StillHost};
use crate::interpret::Interpreter;

/// The resource graph of a program as it is now, without automatic edges.
///
/// # Errors
/// What stops the program, or is wrong with its resources.
pub fn first_graph(program: &Arc<Program>, hostname: &str) -> Result<ResourceGraph, Vec<Diagnostic>> {
    let scratch = Scratch::new();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let host = StillHost::new(hostname.to_owned(), scratch.path.clone(), now);
    let mut engine = Engine::new(Arc::clone(program), Box::new(host)).map_err(|e| vec![e])?;
    engine.run()?;
    Interpreter::new().interpret(&engine)
}

/// The name of this machine, as `$hostname` has it.
#[must_use]
pub fn hostname() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
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
