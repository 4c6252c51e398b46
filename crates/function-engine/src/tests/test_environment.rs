//! An environment whose inputs are set by a test.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcl_artifact::program::Program;
use mcl_value::Value;
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::environment::{Environment, SharedValue};
use crate::events::Waker;
use crate::ids::WatchId;
use crate::outputs::Output;
use crate::tests::functions;

#[derive(Default)]
pub(crate) struct Inner {
    values: FxHashMap<String, Value>,
    watches: FxHashMap<WatchId, (String, Waker)>,
    next: u64,
    clock: Duration,
}

/// An environment that a test and its engine share.
#[derive(Clone, Default)]
pub(crate) struct TestEnvironment(Arc<Mutex<Inner>>);

impl TestEnvironment {
    /// Sets an input, and wakes the nodes that watch it.
    pub(crate) fn set(&self, key: &str, value: impl Into<Value>) {
        self.replace(key, Some(value.into()));
    }

    /// Removes the value of an input. Its dependents become pending again.
    pub(crate) fn unset(&self, key: &str) {
        self.replace(key, None);
    }

    /// Sets an input, or removes its value.
    pub(crate) fn replace(&self, key: &str, value: Option<Value>) {
        let mut inner = self.0.lock().unwrap();
        match value {
            Some(value) => inner.values.insert(key.to_owned(), value),
            None => inner.values.remove(key),
        };
        let wakers: Vec<Waker> =
            inner.watches.values().filter(|(watched, _)| watched == key).map(|(_, waker)| waker.clone()).collect();
        drop(inner);
        wakers.iter().for_each(Waker::wake);
    }

    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        self.0.lock().unwrap().values.get(key).cloned()
    }

    pub(crate) fn advance(&self, by: Duration) {
        self.0.lock().unwrap().clock += by;
    }

    pub(crate) fn watch_count(&self) -> usize {
        self.0.lock().unwrap().watches.len()
    }

    pub(crate) fn engine(&self, program: &Arc<Program>) -> Engine {
        Engine::with_functions(Arc::clone(program), Box::new(self.clone()), functions::lookup).unwrap()
    }
}

impl Environment for TestEnvironment {
    fn now(&self) -> Duration {
        self.monotonic()
    }

    fn monotonic(&self) -> Duration {
        self.0.lock().unwrap().clock
    }

    fn watch(&mut self, path: &Path, waker: Waker) -> WatchId {
        self.watch_shared("path", &path.to_string_lossy(), waker)
    }

    fn watch_shared(&mut self, _: &str, name: &str, waker: Waker) -> WatchId {
        let mut inner = self.0.lock().unwrap();
        inner.next += 1;
        let id = WatchId(inner.next);
        inner.watches.insert(id, (name.to_owned(), waker));
        id
    }

    fn unwatch(&mut self, watch: WatchId) {
        assert!(self.0.lock().unwrap().watches.remove(&watch).is_some(), "a watch is ended once");
    }

    fn hostname(&self) -> &str {
        "h1"
    }

    fn state_dir(&self) -> &Path {
        Path::new("/nonexistent")
    }

    fn shared_value(&self, _: &str, name: &str) -> Option<SharedValue> {
        Some(SharedValue { value: self.get(name)?, sensitive: false })
    }
}

/// The outcome of an engine that waits for a first value.
pub(crate) const WAITING: &str = "waiting";

/// Runs a round and returns the values of each active statement, or the sorted messages of the failures.
pub(crate) fn outcome(engine: &mut Engine) -> Result<Vec<Vec<Value>>, Vec<String>> {
    match engine.run() {
        Ok(round) if round.waiting => {
            assert!(!engine.waiting_for().is_empty(), "the pending calls are known");
            Err(vec![WAITING.to_owned()])
        }
        Ok(_) => Ok(outputs(engine)),
        Err(diagnostics) => {
            let mut messages: Vec<String> = diagnostics.into_iter().map(|d| d.message).collect();
            messages.sort();
            messages.dedup();
            Err(messages)
        }
    }
}

pub(crate) fn outputs(engine: &Engine) -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    let visit = |output: Output<'_>| all.push(output.values().map(|output| output.value.clone()).collect());
    engine.visit_outputs(visit, |_, _| ());
    all
}
