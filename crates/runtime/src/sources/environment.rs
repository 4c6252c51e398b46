//! The environment of functions in a running agent.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use function_engine::{Environment, InputVersion, SharedValue, Waker, WatchId};
use resources::{OfferedValue, SharedValues};

use crate::sources::state::SourceState;

/// Watches what functions read.
pub(super) struct WatchingEnvironment {
    pub(super) state: SourceState,
    pub(super) hostname: String,
    /// Where functions keep state.
    pub(super) state_dir: PathBuf,
    /// The values that resources offer to functions.
    pub(super) shared: Arc<SharedValues>,
}

impl Environment for WatchingEnvironment {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)
    }

    fn monotonic(&self) -> Duration {
        self.state.elapsed()
    }

    fn watch(&mut self, path: &Path, waker: Waker) -> WatchId {
        self.state.watch_path(path, waker)
    }

    fn watch_shared(&mut self, kind: &str, name: &str, waker: Waker) -> WatchId {
        self.state.watch_shared_value(kind, name, waker)
    }

    fn input_version(&mut self, watch: WatchId) -> Option<InputVersion> {
        self.state.input_version(watch)
    }

    fn unwatch(&mut self, watch: WatchId) {
        self.state.unwatch(watch);
    }

    fn hostname(&self) -> &str {
        &self.hostname
    }

    fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    fn shared_value(&self, kind: &str, name: &str) -> Option<SharedValue> {
        let OfferedValue { value, sensitive } = self.shared.get(kind, name)?;
        Some(SharedValue { value, sensitive })
    }
}
