//! A host that watches nothing: for commands that look at a program's first result.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use mcl_value::Value;

use crate::host::{Host, Waker, WatchId};

/// Answers questions about the machine; nobody is told when the answer changes. Time passes.
pub struct StillHost {
    hostname: String,
    state_dir: PathBuf,
    started: Instant,
}

impl StillHost {
    /// A host of that name, whose monotonic clock counts from that moment.
    #[must_use]
    pub fn new(hostname: String, state_dir: PathBuf, started: Instant) -> StillHost {
        StillHost { hostname, state_dir, started }
    }
}

impl Host for StillHost {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)
    }

    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }

    fn watch(&mut self, _: &Path, _: Waker) -> WatchId {
        WatchId(0)
    }

    fn watch_shared(&mut self, _: &str, _: &str, _: Waker) -> WatchId {
        WatchId(0)
    }

    fn unwatch(&mut self, _: WatchId) {}

    fn hostname(&self) -> &str {
        &self.hostname
    }

    fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    fn shared_value(&self, _: &str, _: &str) -> Option<Value> {
        None
    }
}
