//! An environment without watches, for commands that compute only the first result of a program.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::environment::Environment;

/// Answers queries about the machine but never reports a change. Its clocks advance.
pub struct SnapshotEnvironment {
    hostname: String,
    state_dir: PathBuf,
    started: Instant,
    may_run_commands: bool,
}

impl SnapshotEnvironment {
    /// Creates an environment with this host name, whose monotonic clock counts from `started`.
    #[must_use]
    pub fn new(hostname: String, state_dir: PathBuf, started: Instant) -> SnapshotEnvironment {
        SnapshotEnvironment { hostname, state_dir, started, may_run_commands: true }
    }

    /// Forbids functions to start commands: what depends on one stays unknown.
    #[must_use]
    pub fn without_commands(self) -> SnapshotEnvironment {
        SnapshotEnvironment { may_run_commands: false, ..self }
    }
}

impl Environment for SnapshotEnvironment {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }

    fn may_run_commands(&self) -> bool {
        self.may_run_commands
    }

    fn hostname(&self) -> &str {
        &self.hostname
    }

    fn state_dir(&self) -> &Path {
        &self.state_dir
    }
}
