//! What the engine needs from outside: clocks, watches, wake-ups. The engine itself does no I/O and reads no clock.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcl_value::Value;
use rustc_hash::FxHashSet;

use crate::code::NodeId;

/// What [`Host::watch`] gave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WatchId(pub u64);

/// The world around an engine.
pub trait Host: Send {
    /// Wall-clock time since the Unix epoch.
    fn now(&self) -> Duration;
    /// A clock that never goes back; only differences count. Deadlines are in it.
    fn monotonic(&self) -> Duration;
    /// Wakes when the file or directory at this absolute path, or a parent that does not exist yet, changes, as long as the
    /// watch lasts. It must be in force when the function returns.
    fn watch(&mut self, path: &Path, waker: Waker) -> WatchId;
    /// Wakes when what a resource of that kind and name offers to functions changes.
    fn watch_shared(&mut self, kind: &str, name: &str, waker: Waker) -> WatchId;
    /// Ends a watch of either sort.
    fn unwatch(&mut self, watch: WatchId);
    /// The host name that `$hostname` has.
    fn hostname(&self) -> &str;
    /// The directory for persistent state of functions.
    fn state_dir(&self) -> &Path;
    /// What a resource of the same program offers to functions (see `StreamContext::shared_value`).
    fn shared_value(&self, kind: &str, name: &str) -> Option<Value>;
    /// Where the deployed files lie, if they lie on disk.
    fn deploy_directory(&self) -> Option<&Path> {
        None
    }
}

/// Asks for one node to be evaluated again, from any thread. Asking many times before the next round is asking once, so a
/// slow reader costs memory for each *node* that has news, never for each event.
#[derive(Clone)]
pub struct Waker {
    pub(crate) node: NodeId,
    pub(crate) events: Arc<Events>,
}

impl Waker {
    /// Asks.
    pub fn wake(&self) {
        self.events.push(self.node);
    }
}

/// The set of nodes that asked to be evaluated, shared with every thread that wakes one.
#[derive(Default)]
pub struct Events {
    inner: Mutex<Pending>,
    arrived: Condvar,
}

#[derive(Default)]
struct Pending {
    nodes: FxHashSet<NodeId>,
    notify: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Events {
    /// Calls this whenever the set stops being empty: for shells that sleep in a poll loop of their own.
    pub fn on_arrival(&self, notify: Arc<dyn Fn() + Send + Sync>) {
        self.lock().notify = Some(notify);
    }

    /// Whether no node has asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().nodes.is_empty()
    }

    /// Sleeps until a node has asked or the time is over; tells whether one has.
    pub fn wait(&self, timeout: Duration) -> bool {
        let guard = self.lock();
        let (guard, _) = self
            .arrived
            .wait_timeout_while(guard, timeout, |pending| pending.nodes.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        !guard.nodes.is_empty()
    }

    fn push(&self, node: NodeId) {
        let mut pending = self.lock();
        let first = pending.nodes.is_empty();
        pending.nodes.insert(node);
        if first {
            let notify = pending.notify.clone();
            drop(pending);
            self.arrived.notify_all();
            if let Some(notify) = notify {
                notify();
            }
        }
    }

    /// Takes what has arrived, in a fixed order.
    pub(crate) fn drain(&self, into: &mut Vec<NodeId>) {
        into.extend(self.lock().nodes.drain());
        into.sort_unstable();
    }

    /// A thread that died while it held the lock left a set that is still whole.
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
