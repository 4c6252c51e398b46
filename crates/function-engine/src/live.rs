//! What a function that changes by itself may ask for.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcl_artifact::program::Program;
use mcl_functions::{CallContext, Deploy, StreamContext};
use mcl_value::Value;

use crate::Engine;
use crate::code::{Code, Import, NodeId};
use crate::host::{Events, Host, Waker, WatchId};
use crate::node::{LiveNode, Watched};

/// The embedded files of a program.
pub(crate) struct Deployed<'a> {
    pub(crate) program: &'a Program,
    pub(crate) directory: Option<&'a Path>,
}

impl Deploy for Deployed<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let index = self.program.deploy.binary_search_by(|(p, _)| (**p).cmp(path)).ok()?;
        Some(self.program.deploy[index].1.clone())
    }

    fn paths_below(&self, directory: &str) -> Vec<String> {
        let start = self.program.deploy.partition_point(|(path, _)| **path < *directory);
        let below = self.program.deploy[start..].iter().map(|(path, _)| path.to_string());
        below.take_while(|path| path.starts_with(directory)).collect()
    }

    fn directory(&self) -> Option<&Path> {
        self.directory
    }
}

/// One call of a live function.
pub(crate) struct LiveCall<'a> {
    node: NodeId,
    import: &'a Import,
    deploy: &'a Deployed<'a>,
    host: &'a mut dyn Host,
    events: &'a Arc<Events>,
    delay: Option<Duration>,
    waits: Option<&'static str>,
    /// Watches from before this call: what is still wanted at its end stays in force without a gap.
    old: Vec<(Watched, WatchId)>,
    kept: Vec<(Watched, WatchId)>,
}

impl LiveCall<'_> {
    fn watch(&mut self, what: Watched) {
        if self.kept.iter().any(|(kept, _)| *kept == what) {
            return;
        }
        if let Some(i) = self.old.iter().position(|(old, _)| *old == what) {
            self.kept.push(self.old.swap_remove(i));
            return;
        }
        let waker = Waker { node: self.node, events: Arc::clone(self.events) };
        let watch = match &what {
            Watched::Path(path) => self.host.watch(path, waker),
            Watched::Shared(kind, name) => self.host.watch_shared(kind, name, waker),
        };
        self.kept.push((what, watch));
    }
}

impl StreamContext for LiveCall<'_> {
    fn call_context(&self) -> CallContext<'_> {
        CallContext { ty: &self.import.ty, deploy: Some(self.deploy), module_dir: &self.import.module_dir }
    }

    fn wake_after(&mut self, delay: Duration) {
        self.delay = Some(self.delay.map_or(delay, |d| d.min(delay)));
    }

    fn wake_on_path(&mut self, path: &Path) {
        self.watch(Watched::Path(path.to_owned()));
    }

    fn not_ready(&mut self, why: &'static str) {
        self.waits = Some(why);
    }

    fn waker(&self) -> Arc<dyn Fn() + Send + Sync> {
        let waker = Waker { node: self.node, events: Arc::clone(self.events) };
        Arc::new(move || waker.wake())
    }

    fn now(&self) -> Duration {
        self.host.now()
    }

    fn hostname(&self) -> &str {
        self.host.hostname()
    }

    fn state_dir(&self) -> &Path {
        self.host.state_dir()
    }

    fn shared_value(&mut self, kind: &str, name: &str) -> Option<Value> {
        self.watch(Watched::Shared(kind.to_owned(), name.to_owned()));
        self.host.shared_value(kind, name)
    }
}

impl Engine {
    /// Calls a live function with the arguments in `self.arguments`; gives nothing if it has no value yet.
    pub(crate) fn call_live(
        &mut self,
        id: NodeId,
        live: &mut LiveNode,
        code: &Code,
    ) -> Result<Option<Value>, mcl_functions::FunctionError> {
        let Some(instance) = &mut live.instance else {
            return Err(mcl_functions::FunctionError::fatal("the function has ended"));
        };
        if let Some(deadline) = live.deadline.take() {
            self.timers.remove(&(deadline, id));
        }
        // The directory is copied because the host is lent to the call.
        let directory = self.host.deploy_directory().map(Path::to_owned);
        let deploy = Deployed { program: &code.program, directory: directory.as_deref() };
        let mut call = LiveCall {
            node: id,
            import: &code.functions[live.function.0 as usize],
            deploy: &deploy,
            host: &mut *self.host,
            events: &self.events,
            delay: None,
            waits: None,
            old: std::mem::take(&mut live.watches),
            kept: Vec::new(),
        };
        let result = instance.call(&mut call, &self.arguments);
        let LiveCall { delay, waits, old, kept, .. } = call;
        live.watches = kept;
        live.waits = waits;
        for (_, watch) in old {
            self.host.unwatch(watch);
        }
        if let Some(delay) = delay {
            let deadline = self.host.monotonic().saturating_add(delay);
            live.deadline = Some(deadline);
            self.timers.insert((deadline, id));
        }
        result.map(|value| waits.is_none().then_some(value))
    }

    /// Forgets what a live function had asked for.
    pub(crate) fn end_requests(&mut self, id: NodeId, live: LiveNode) {
        for (_, watch) in &live.watches {
            self.host.unwatch(*watch);
        }
        if let Some(deadline) = live.deadline {
            self.timers.remove(&(deadline, id));
        }
    }

    /// Forgets the requests of a live function whose arguments are failed: it is not called, so nothing must wake it.
    pub(crate) fn suspend(&mut self, id: NodeId, live: &mut LiveNode) {
        for (_, watch) in live.watches.drain(..) {
            self.host.unwatch(watch);
        }
        if let Some(deadline) = live.deadline.take() {
            self.timers.remove(&(deadline, id));
        }
    }
}
