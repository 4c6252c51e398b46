//! Calls of streaming functions: functions whose value changes over time.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcl_functions::{CallContext, FunctionError, InputVersion, StreamContext};
use mcl_value::Value;

use crate::code::{Code, ImportedFunction};
use crate::embedded_files::EmbeddedFiles;
use crate::engine::Engine;
use crate::environment::Environment;
use crate::events::{Events, Waker};
use crate::ids::{NodeId, WatchId};
use crate::node::{StreamNode, WatchTarget};

/// The context of one call of a streaming function.
pub(crate) struct StreamCall<'a> {
    node: NodeId,
    import: &'a ImportedFunction,
    deploy: &'a EmbeddedFiles<'a>,
    environment: &'a mut dyn Environment,
    events: &'a Arc<Events>,
    delay: Option<Duration>,
    not_ready: Option<&'static str>,
    sensitive: bool,
    /// Watches from before this call. One that this call requests again stays active without a gap.
    old: Vec<(WatchTarget, WatchId)>,
    kept: Vec<(WatchTarget, WatchId)>,
}

impl StreamCall<'_> {
    fn watch(&mut self, target: WatchTarget) {
        if self.kept.iter().any(|(kept, _)| *kept == target) {
            return;
        }
        if let Some(i) = self.old.iter().position(|(old, _)| *old == target) {
            self.kept.push(self.old.swap_remove(i));
            return;
        }
        let waker = Waker { node: self.node, events: Arc::clone(self.events) };
        let watch = match &target {
            WatchTarget::Path(path) => self.environment.watch(path, waker),
            WatchTarget::Shared(kind, name) => self.environment.watch_shared(kind, name, waker),
        };
        self.kept.push((target, watch));
    }
}

impl StreamContext for StreamCall<'_> {
    fn call_context(&self) -> CallContext<'_> {
        CallContext {
            ty: &self.import.ty,
            deploy: Some(self.deploy),
            module_dir: &self.import.module_dir,
            answers: None,
            sensitive: Cell::default(),
        }
    }

    fn wake_after(&mut self, delay: Duration) {
        self.delay = Some(self.delay.map_or(delay, |d| d.min(delay)));
    }

    fn wake_on_path(&mut self, path: &Path) {
        self.watch(WatchTarget::Path(path.to_owned()));
    }

    fn input_version(&mut self, path: &Path) -> Option<InputVersion> {
        let is_of_path = |target: &WatchTarget| matches!(target, WatchTarget::Path(watched) if watched == path);
        let (_, watch) = self.kept.iter().find(|(target, _)| is_of_path(target))?;
        self.environment.input_version(*watch)
    }

    fn may_run_commands(&self) -> bool {
        self.environment.may_run_commands()
    }

    fn not_ready(&mut self, why: &'static str) {
        self.not_ready = Some(why);
    }

    fn mark_sensitive(&mut self) {
        self.sensitive = true;
    }

    fn waker(&self) -> Arc<dyn Fn() + Send + Sync> {
        let waker = Waker { node: self.node, events: Arc::clone(self.events) };
        Arc::new(move || waker.wake())
    }

    fn now(&self) -> Duration {
        self.environment.now()
    }

    fn monotonic(&self) -> Duration {
        self.environment.monotonic()
    }

    fn hostname(&self) -> &str {
        self.environment.hostname()
    }

    fn state_dir(&self) -> &Path {
        self.environment.state_dir()
    }

    fn shared_value(&mut self, kind: &str, name: &str) -> Option<Value> {
        self.watch(WatchTarget::Shared(kind.to_owned(), name.to_owned()));
        let shared = self.environment.shared_value(kind, name)?;
        self.sensitive |= shared.sensitive;
        Some(shared.value)
    }
}

impl Engine {
    /// Calls a streaming function with the arguments in `self.arguments`. Returns `None` if it has no value yet.
    ///
    /// # Errors
    /// The error that the function returned.
    pub(crate) fn call_stream(
        &mut self,
        id: NodeId,
        stream: &mut StreamNode,
        code: &Code,
    ) -> Result<Option<Value>, FunctionError> {
        let Some(instance) = &mut stream.instance else {
            return Err(FunctionError::fatal("the function has ended"));
        };
        if let Some(deadline) = stream.deadline.take() {
            self.timers.remove(&(deadline, id));
        }
        // A copy, because the call borrows the environment.
        let directory = self.environment.deploy_directory().map(Path::to_owned);
        let deploy = EmbeddedFiles { program: &code.program, directory: directory.as_deref() };
        let mut call = StreamCall {
            node: id,
            import: &code.functions[stream.function],
            deploy: &deploy,
            environment: &mut *self.environment,
            events: &self.events,
            delay: None,
            not_ready: None,
            sensitive: false,
            old: std::mem::take(&mut stream.watches),
            kept: Vec::new(),
        };
        let result = instance.call(&mut call, &self.arguments);
        let StreamCall { delay, not_ready, sensitive, old, kept, .. } = call;
        stream.watches = kept;
        stream.not_ready = not_ready;
        stream.sensitive = sensitive;
        for (_, watch) in old {
            self.environment.unwatch(watch);
        }
        if let Some(delay) = delay {
            let deadline = self.environment.monotonic().saturating_add(delay);
            stream.deadline = Some(deadline);
            self.timers.insert((deadline, id));
        }
        result.map(|value| not_ready.is_none().then_some(value))
    }

    /// Ends the watches and the timer of a streaming function that is being removed.
    pub(crate) fn cancel_requests(&mut self, id: NodeId, stream: StreamNode) {
        for (_, watch) in &stream.watches {
            self.environment.unwatch(*watch);
        }
        if let Some(deadline) = stream.deadline {
            self.timers.remove(&(deadline, id));
        }
    }

    /// Ends the watches and the timer of a streaming function whose arguments have failed. It is not called, so nothing
    /// may wake it.
    pub(crate) fn suspend(&mut self, id: NodeId, stream: &mut StreamNode) {
        for (_, watch) in stream.watches.drain(..) {
            self.environment.unwatch(watch);
        }
        if let Some(deadline) = stream.deadline.take() {
            self.timers.remove(&(deadline, id));
        }
    }
}
