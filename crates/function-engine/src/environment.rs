//! What the engine needs from outside: clocks, watches and facts about the machine.

use std::path::Path;
use std::time::Duration;

use mcl_functions::InputVersion;
use mcl_value::Value;

use crate::events::Waker;
use crate::ids::WatchId;

/// A value that a resource publishes to functions.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedValue {
    /// The value.
    pub value: Value,
    /// Whether it must not be shown.
    pub sensitive: bool,
}

/// The environment of an engine. The engine itself does no I/O and reads no clock.
///
/// The methods that watch have defaults for an environment in which nothing changes by itself.
pub trait Environment: Send {
    /// Returns the wall-clock time since the Unix epoch.
    fn now(&self) -> Duration;
    /// Returns the time of a clock that never goes backwards. Only differences are meaningful; deadlines refer to it.
    fn monotonic(&self) -> Duration;
    /// Starts a watch on an absolute path: `waker` is called when the file or directory, or a parent that does not exist
    /// yet, changes. The watch is active when the function returns.
    fn watch(&mut self, path: &Path, waker: Waker) -> WatchId {
        let _ = (path, waker);
        WatchId(0)
    }
    /// Starts a watch on the value that a resource of this kind and name publishes to functions.
    fn watch_shared(&mut self, kind: &str, name: &str, waker: Waker) -> WatchId {
        let _ = (kind, name, waker);
        WatchId(0)
    }
    /// Returns what is known of the changes of a watched path, including those that were not reported yet; `None` if this
    /// environment does not watch.
    fn input_version(&mut self, watch: WatchId) -> Option<InputVersion> {
        let _ = watch;
        None
    }
    /// Returns whether functions may start commands.
    fn may_run_commands(&self) -> bool {
        true
    }
    /// Ends a watch of either kind.
    fn unwatch(&mut self, watch: WatchId) {
        let _ = watch;
    }
    /// Returns the value of `$hostname`.
    fn hostname(&self) -> &str;
    /// Returns the directory for persistent state of functions.
    fn state_dir(&self) -> &Path;
    /// Returns the value that a resource of the same program publishes to functions, if it has published one (see
    /// `StreamContext::shared_value`).
    fn shared_value(&self, kind: &str, name: &str) -> Option<SharedValue> {
        let _ = (kind, name);
        None
    }
    /// Returns the directory of the deployed files, if they are on disk.
    fn deploy_directory(&self) -> Option<&Path> {
        None
    }
}
