//! Requests to evaluate nodes again, made from any thread.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashSet;

use crate::ids::NodeId;

/// Requests the evaluation of one node, from any thread. Several requests before the next round count as one, so a slow
/// consumer costs memory per *node* to evaluate, never per event.
#[derive(Clone)]
pub struct Waker {
    pub(crate) node: NodeId,
    pub(crate) events: Arc<Events>,
}

impl Waker {
    /// Requests the evaluation.
    pub fn wake(&self) {
        self.events.push(self.node);
    }
}

/// The set of nodes whose evaluation was requested since the last round, shared with every thread that wakes one.
#[derive(Default)]
pub struct Events {
    inner: Mutex<Requests>,
    arrived: Condvar,
}

#[derive(Default)]
struct Requests {
    nodes: FxHashSet<NodeId>,
    notify: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Events {
    /// Registers a function that is called whenever the set stops being empty, for callers with a poll loop of their own.
    pub fn on_arrival(&self, notify: Arc<dyn Fn() + Send + Sync>) {
        self.lock().notify = Some(notify);
    }

    /// Returns whether no evaluation is requested.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lock().nodes.is_empty()
    }

    /// Blocks until an evaluation is requested or the timeout elapses, and returns whether one is requested.
    pub fn wait(&self, timeout: Duration) -> bool {
        let guard = self.lock();
        let (guard, _) = self
            .arrived
            .wait_timeout_while(guard, timeout, |requests| requests.nodes.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        !guard.nodes.is_empty()
    }

    fn push(&self, node: NodeId) {
        let mut requests = self.lock();
        let first = requests.nodes.is_empty();
        requests.nodes.insert(node);
        if first {
            let notify = requests.notify.clone();
            drop(requests);
            self.arrived.notify_all();
            if let Some(notify) = notify {
                notify();
            }
        }
    }

    /// Moves all requests to `into`, in a fixed order.
    pub(crate) fn drain(&self, into: &mut Vec<NodeId>) {
        into.extend(self.lock().nodes.drain());
        into.sort_unstable();
    }

    /// Locks the set. Every critical section leaves it consistent, so a poisoned lock is still usable.
    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
