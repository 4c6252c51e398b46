//! A host in which nothing ever happens: for commands that look at a program's first result.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcl_value::Value;

use super::host::{Host, Waker, WatchId};

/// Answers questions about the machine, and never wakes anybody.
pub struct StillHost {
    hostname: String,
    state_dir: PathBuf,
    now: Duration,
}

impl StillHost {
    /// A host of that name whose clock stands at `now` (since the Unix epoch).
    #[must_use]
    pub fn new(hostname: String, state_dir: PathBuf, now: Duration) -> StillHost {
        StillHost { hostname, state_dir, now }
    }
}

impl Host for StillHost {
    fn now(&self) -> Duration {
        self.now
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
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
