//! The loop.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcl_artifact::program::Program;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_engine::{
    Command, Config, Engine, EngineGraph, Event, Failure, Finished, Report, StopLevel, Time, VertexKey,
};
use resource_graph::{Params, ResourceId};
use resources::{
    Cancel, CancelLevel, Change, Host, ManagedPaths, PendingSyncs, RefreshJournal, Reversals, SharedValues, StateDir,
    TaskHandle, Watch, is_reversal,
};
use rustc_hash::FxHashSet;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::shell::job::{Done, Flow, Job, Surroundings};
use crate::shell::mailbox::{Handle, Message};
use crate::shell::observer::{self, Observer};
use crate::shell::pool::Pool;
use crate::shell::published::Published;
use crate::shell::signals::Signals;
use crate::shell::slot::{Implementation, Slot};
use crate::shell::watcher::Watcher;

/// How long a killed check may take to come back before the process ends without it.
const GRACE: Duration = Duration::from_millis(200);
/// How long checks that ended may wait for each other while workers have enough to do.
const PATIENCE: Duration = Duration::from_millis(1);
/// So many checks are started before the loop looks around again.
const SLICE: usize = 256;
/// A stop that began with SIGTERM becomes more urgent by itself after that time.
const RUNG: Duration = Duration::from_secs(15);

/// How an agent is to run.
#[derive(Default)]
pub struct Options {
    /// Change nothing.
    pub noop: bool,
    /// Check everything once and end.
    pub once: bool,
    /// End after that much quiet.
    pub converged_timeout: Option<Duration>,
    /// At most that many checks at a time.
    pub max_parallel: Option<u32>,
    /// Carry file contents in changes.
    pub want_diffs: bool,
    /// Where state is kept; `None` keeps none.
    pub state: Option<StateDir>,
    /// The program that the graphs come from, if one takes part.
    pub program: Option<Arc<Program>>,
    /// Obey SIGINT and SIGTERM.
    pub signals: Option<Signals>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Resources of the last graph (a group counts once).
    pub total: usize,
    /// In their state at the end.
    pub done: usize,
    /// Changes made, or found with noop.
    pub changes: usize,
    /// Resources that were failing at the end.
    pub failed: Vec<ResourceId>,
    /// Resources that waited at the end, each with the one it waited for.
    pub blocked: Vec<(ResourceId, ResourceId)>,
    /// Ended by a signal or a request.
    pub interrupted: bool,
    /// The source of graphs failed.
    pub source_failed: bool,
    /// The exit status that an `exit` resource asked for.
    pub exit_status: Option<u8>,
}

impl Summary {
    /// Whether everything is as it should be.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.failed.is_empty() && self.blocked.is_empty() && !self.source_failed
    }
}

/// What has something to say after a wait.
struct Ready {
    files: bool,
    signals: bool,
}

/// The engine with everything around it.
pub struct Agent<'o> {
    engine: Engine,
    observer: &'o mut dyn Observer,
    watcher: Watcher,
    pool: Pool,
    handle: Handle,
    signals: Option<Signals>,
    /// What has to be undone; none with noop, which undoes nothing either.
    reversals: Option<Reversals>,
    /// What this host publishes; none with noop, which publishes nothing.
    published: Option<Published>,
    /// What checks see.
    host: Arc<Surroundings>,
    slots: Vec<Option<Slot>>,
    /// Checks for the workers, handed over together.
    jobs: Vec<Job>,
    timers: BinaryHeap<Reverse<(Instant, VertexKey, u32, Duration)>>,
    events: VecDeque<Event>,
    started: Instant,
    exits_when_done: bool,
    once: bool,
    rung: Option<StopLevel>,
    next_rung: Option<Instant>,
    give_up: Option<Instant>,
    stopped: bool,
    summary: Summary,
}

impl<'o> Agent<'o> {
    /// An agent without a graph; send it one through [`Agent::handle`].
    ///
    /// # Errors
    /// The notifications that an earlier run left cannot be read.
    pub fn new(options: Options, observer: &'o mut dyn Observer) -> std::io::Result<Agent<'o>> {
        let journal = match &options.state {
            Some(state) if !options.noop => Some(Arc::new(RefreshJournal::open(state.engine())?)),
            _ => None,
        };
        let config = Config {
            noop: options.noop,
            once: options.once,
            converged_timeout: options.converged_timeout,
            refreshable: Some(resources::is_refreshable),
            max_parallel: options.max_parallel,
            slice: Some(SLICE),
            undelivered: journal.as_ref().map(|j| j.pairs()).unwrap_or_default(),
        };
        let handle = Handle::new();
        let reversals = options.state.as_ref().filter(|_| !options.noop).map(Reversals::new);
        let published = options.state.as_ref().filter(|_| !options.noop).map(|state| Published::new(state.world()));
        let syncs = Arc::new(PendingSyncs::default());
        let shared = match &options.state {
            Some(state) if !options.noop => SharedValues::in_directory(state.engine().join("shared")),
            _ => SharedValues::default(),
        };
        let host = Host {
            shared: Arc::new(shared),
            state: options.state.map(Arc::new),
            want_diffs: options.want_diffs,
            syncs: syncs.clone(),
            program: options.program,
            ..Host::default()
        };
        Ok(Agent {
            engine: Engine::new(config),
            observer,
            watcher: Watcher::new(),
            pool: Pool::new(&handle, move || syncs.flush()),
            handle,
            signals: options.signals,
            reversals,
            published,
            host: Arc::new(Surroundings { host, journal }),
            slots: Vec::new(),
            jobs: Vec::new(),
            timers: BinaryHeap::new(),
            events: VecDeque::new(),
            started: Instant::now(),
            exits_when_done: options.once || options.converged_timeout.is_some(),
            once: options.once,
            rung: None,
            next_rung: None,
            give_up: None,
            stopped: false,
            summary: Summary::default(),
        })
    }

    /// For other threads.
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// What resources offer to functions.
    #[must_use]
    pub fn shared(&self) -> Arc<SharedValues> {
        self.host.shared.clone()
    }

    /// Runs until it is told to stop or, if asked to, until it is done. After that the agent is of no more use; a process
    /// that ends anyway need not take the time to drop it.
    pub fn run(&mut self) -> Summary {
        let mut next_progress = self.observer.interval().map(|i| Instant::now() + i);
        while !self.stopped {
            let ready = self.wait(next_progress);
            let now = Instant::now();
            if ready.signals || self.next_rung.is_some_and(|at| at <= now) {
                self.take_signals(now);
            }
            for message in self.handle.take() {
                self.message(message);
            }
            if ready.files || self.watcher.next_poll().is_some_and(|at| at <= now) {
                self.take_file_events(now);
            }
            self.take_timers(now);
            self.events.push_back(Event::Tick);
            self.drain();
            if self.once && self.rung.is_none() && self.engine.is_quiet() {
                self.stop(StopLevel::Finish);
                self.drain();
            }
            if next_progress.is_some_and(|at| at <= now) {
                self.show_progress(now);
                next_progress = self.observer.interval().map(|i| now + i);
            }
            if self.give_up.is_some_and(|at| at <= now) {
                self.stopped = true;
            }
        }
        self.finish()
    }

    fn finish(&mut self) -> Summary {
        let tasks: Vec<_> = self.slots.iter_mut().flatten().flat_map(|s| std::mem::take(&mut s.tasks)).collect();
        for level in [CancelLevel::Cancel, CancelLevel::Kill] {
            for (cancel, _) in &tasks {
                cancel.request(level);
            }
            // They have to pass the request on to their commands before the process may end.
            let end = Instant::now() + GRACE / 2;
            while Instant::now() < end && tasks.iter().any(|(_, thread)| !thread.is_finished()) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.host.syncs.flush();
        let status = self.engine.status();
        self.summary.total = status.total;
        self.summary.done = self.engine.applied();
        self.summary.failed = self.engine.failing().cloned().collect();
        let id = |key| self.engine.id(key).cloned();
        let blocked = self.engine.blocked().filter_map(|(key, on)| Some((id(key)?, id(on)?)));
        let blocked = blocked.collect();
        self.summary.blocked = blocked;
        std::mem::take(&mut self.summary)
    }

    fn now(&self) -> Time {
        self.started.elapsed()
    }

    /// Waits for anything, and says where to look.
    fn wait(&self, progress: Option<Instant>) -> Ready {
        let engine = self.engine.deadline().map(|at| self.started + at);
        let timer = self.timers.peek().map(|Reverse((at, ..))| *at);
        let times = [engine, timer, self.watcher.next_poll(), progress, self.next_rung, self.give_up];
        let timeout = times.into_iter().flatten().min().map(|at| at.saturating_duration_since(Instant::now()));
        let backlogged = self.pool.is_backlogged();
        if backlogged {
            self.handle.be_patient();
        }
        let timeout = if backlogged { Some(timeout.map_or(PATIENCE, |t| t.min(PATIENCE))) } else { timeout };
        let watcher = self.watcher.fd();
        let mailbox = self.handle.fd();
        let signals = self.signals.as_ref().map(Signals::fds);
        // Without the descriptor that wakes us we have to look now and then.
        let timeout = if mailbox.is_none() { Some(timeout.map_or(GRACE, |t| t.min(GRACE))) } else { timeout };
        let mut fds: Vec<PollFd<'_>> = [watcher.as_ref(), mailbox.as_ref()]
            .into_iter()
            .flatten()
            .chain(signals.iter().flatten())
            .map(|fd| PollFd::new(fd, PollFlags::IN))
            .collect();
        // Rounded up: waking before the time would spin.
        let timeout = timeout.map(|t| Timespec {
            tv_sec: i64::try_from(t.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(t.subsec_nanos()),
        });
        let polled = poll(&mut fds, timeout.as_ref());
        // Interrupted by a signal, which has yet to be found.
        let is_ready = |fd: Option<&PollFd<'_>>| polled.is_err() || fd.is_some_and(|fd| !fd.revents().is_empty());
        let skipped = usize::from(watcher.is_some()) + usize::from(mailbox.is_some());
        Ready {
            files: watcher.is_some() && is_ready(fds.first()),
            signals: fds[skipped..].iter().any(|fd| is_ready(Some(fd))),
        }
    }

    fn message(&mut self, message: Message) {
        match message {
            Message::Graph(mut graph) => {
                self.add_reversals(&mut graph);
                let failures = self.published.as_mut().map_or_else(Vec::new, |published| published.expect(&graph));
                for failure in failures {
                    self.problem(failure.code(), failure.to_string());
                }
                let host = Host { managed: managed_paths(&graph), ..self.host.share() };
                self.host = Arc::new(Surroundings { host, journal: self.host.journal.clone() });
                let slots = graph.groups().len();
                self.slots.reserve_exact(slots.saturating_sub(self.slots.len()));
                self.events.push_back(Event::Swap(graph));
            }
            Message::SourceFailed(diagnostics) => {
                for diagnostic in &diagnostics {
                    self.observer.event(observer::Event::Problem(diagnostic));
                }
                self.summary.source_failed = true;
                if self.exits_when_done {
                    self.stop(StopLevel::Finish);
                }
            }
            Message::Problems(diagnostics) => {
                for diagnostic in &diagnostics {
                    self.observer.event(observer::Event::Problem(diagnostic));
                }
            }
            Message::Stop(level) => {
                self.summary.interrupted = true;
                self.stop(level);
            }
            Message::Done(done) => {
                self.done(*done.0);
                if let Some(status) = self.host.exit.requested().filter(|_| self.summary.exit_status.is_none()) {
                    self.summary.exit_status = Some(status);
                    self.stop(StopLevel::Finish);
                }
            }
            Message::Task(key, epoch, failure) => {
                let current = self.slots.get(key.index()).and_then(Option::as_ref).is_some_and(|s| s.epoch == epoch);
                match failure {
                    None if current => self.events.push_back(Event::Fired(key)),
                    Some(failure) if current => self.events.push_back(Event::WatchFailed(key, epoch, failure)),
                    None | Some(_) => {}
                }
            }
        }
        self.drain();
    }

    /// What has to be undone because it is no longer in the program joins the graph.
    fn add_reversals(&mut self, graph: &mut EngineGraph) {
        let Some(reversals) = &self.reversals else { return };
        let (pending, failures) = reversals.pending();
        for failure in failures {
            self.problem(failure.code(), failure.to_string());
        }
        let present: FxHashSet<ResourceId> = match pending.is_empty() {
            true => FxHashSet::default(),
            false => graph.groups().iter().flat_map(|group| group.iter()).map(|r| r.id.clone()).collect(),
        };
        for inverse in pending.into_iter().filter(|inverse| !present.contains(&inverse.id)) {
            graph.add_isolated(inverse);
        }
    }

    fn take_signals(&mut self, now: Instant) {
        let Some(signals) = &mut self.signals else { return };
        let (interrupts, terminations) = signals.take();
        let first_is_polite = self.rung.is_none() && interrupts == 0;
        for _ in 0..interrupts + terminations {
            self.climb(if interrupts > 0 { "interrupted by ^C" } else { "interrupted by SIGTERM" });
            if first_is_polite {
                self.next_rung = Some(now + RUNG);
            }
        }
        if self.next_rung.is_some_and(|at| at <= now) {
            self.climb("still exiting after 15s");
            self.next_rung = (self.rung < Some(StopLevel::Kill)).then(|| now + RUNG);
        }
    }

    fn climb(&mut self, why: &str) {
        self.summary.interrupted = true;
        let (level, text) = match self.rung {
            None => (StopLevel::Finish, why.to_owned()),
            Some(StopLevel::Finish) => (StopLevel::Cancel, format!("{why} (soft interrupt)")),
            Some(StopLevel::Cancel | StopLevel::Kill) => (StopLevel::Kill, format!("{why} (hard interrupt)")),
        };
        self.observer.event(observer::Event::Stopping(&text));
        self.stop(level);
    }

    fn stop(&mut self, level: StopLevel) {
        if self.rung >= Some(level) {
            return;
        }
        self.rung = Some(level);
        self.pool.close();
        if level == StopLevel::Kill {
            self.give_up = Some(Instant::now() + GRACE);
        }
        self.events.push_back(Event::Stop(level));
    }

    fn take_file_events(&mut self, now: Instant) {
        match self.watcher.read(now) {
            Ok(tokens) => {
                let fired = tokens.into_iter().map(|token| Event::Fired(VertexKey(token as u32)));
                self.events.extend(fired);
            }
            Err(error) => self.problem(Code::R0409, format!("cannot read file events: {error}")),
        }
        if self.watcher.take_limit_reached() {
            let text = "the kernel allows no more file watches: some paths are looked at every two seconds instead";
            let diagnostic = Diagnostic::warning(Code::R0411, Stage::Engine, text)
                .help("raise fs.inotify.max_user_watches or fs.inotify.max_user_instances");
            self.observer.event(observer::Event::Problem(&diagnostic));
        }
    }

    fn problem(&mut self, code: Code, text: String) {
        self.observer.event(observer::Event::Problem(&Diagnostic::error(code, Stage::Engine, text)));
    }

    fn take_timers(&mut self, now: Instant) {
        while let Some(Reverse((at, key, epoch, period))) = self.timers.peek().copied() {
            if at > now {
                break;
            }
            self.timers.pop();
            let slot = self.slots.get(key.index()).and_then(Option::as_ref);
            if slot.is_some_and(|s| s.epoch == epoch && s.periods.contains(&period)) {
                self.timers.push(Reverse((now + period, key, epoch, period)));
                self.events.push_back(Event::Fired(key));
            }
        }
    }

    /// Feeds the events to the core and carries out its commands, until neither is left.
    fn drain(&mut self) {
        while let Some(event) = self.events.pop_front() {
            let now = self.now();
            for command in self.engine.step(event, now) {
                self.carry_out(command);
            }
        }
        self.pool.submit(&mut self.jobs);
    }

    fn slot(&mut self, key: VertexKey) -> Option<&mut Slot> {
        self.slots.get_mut(key.index())?.as_mut()
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Create(key, resources) => {
                if self.slots.len() <= key.index() {
                    self.slots.resize_with(key.index() + 1, || None);
                }
                self.slots[key.index()] = Some(Slot::new(resources));
            }
            Command::Watch(key, epoch) => {
                if let Some(slot) = self.slot(key) {
                    slot.epoch = epoch;
                }
                self.watch(key);
                self.events.push_back(Event::Watching(key, epoch));
            }
            Command::Unwatch(key) => {
                let (watcher, slots) = (&mut self.watcher, &mut self.slots);
                if let Some(slot) = slots.get_mut(key.index()).and_then(Option::as_mut) {
                    slot.unwatch(watcher);
                }
            }
            Command::Run { key, apply, refresh, updates, changed, notifies } => {
                let host = self.host.clone();
                let Some(slot) = self.slot(key) else { return };
                let kind = match slot.take() {
                    Ok(kind) => kind,
                    Err(failure) => {
                        let finished = Finished { changed: false, sent: Vec::new(), result: Err(failure) };
                        return self.events.push_back(Event::Finished(key, finished));
                    }
                };
                let cancel = Cancel::new();
                slot.running = Some((cancel.clone(), Instant::now()));
                let (initialised, resources) = (slot.initialised, slot.resources.clone());
                let plain = updates.is_empty() && changed.is_empty() && notifies.is_empty();
                let flow = (!plain).then(|| Box::new(Flow { updates, changed, notifies }));
                self.jobs.push(Job { key, kind, initialised, resources, apply, refresh, flow, host, cancel });
            }
            Command::Cancel(key) => self.cancel(key, CancelLevel::Cancel),
            Command::Kill(key) => self.cancel(key, CancelLevel::Kill),
            Command::Remove(key) => {
                let Some(mut slot) = self.slots.get_mut(key.index()).and_then(Option::take) else { return };
                slot.unwatch(&mut self.watcher);
                if let Implementation::Here(kind) = &mut slot.kind {
                    kind.cleanup();
                }
                if let Some(published) = &self.published {
                    for failure in published.take_back_of(&slot.resources[0]) {
                        self.problem(failure.code(), failure.to_string());
                    }
                }
            }
            Command::Delivered { from, to } => {
                if let Some(Err(error)) = self.host.journal.as_ref().map(|j| j.forget(&from, &to)) {
                    self.problem(Code::R0410, format!("cannot write the journal of notifications: {error}"));
                }
            }
            Command::Report(report) => self.report(report),
        }
    }

    fn cancel(&mut self, key: VertexKey, level: CancelLevel) {
        if let Some((cancel, _)) = self.slot(key).and_then(|s| s.running.as_ref()) {
            cancel.request(level);
        }
    }

    /// Puts the watches of a vertex in place.
    fn watch(&mut self, key: VertexKey) {
        let Some(slot) = self.slots.get_mut(key.index()).and_then(Option::as_mut) else { return };
        let Implementation::Here(kind) = &slot.kind else { return };
        let epoch = slot.epoch;
        let watches = kind.watches();
        slot.subscriptions.reserve_exact(watches.len());
        for watch in watches {
            match watch {
                Watch::Path(path, scope) => {
                    slot.subscriptions.push(self.watcher.subscribe(&path, scope, u64::from(key.0)));
                }
                Watch::Every(period) => {
                    slot.periods.push(period);
                    self.timers.push(Reverse((Instant::now() + period, key, epoch, period)));
                }
                Watch::Listen(listen) => {
                    let outbox = self.handle.clone();
                    slot.listenings.push(listen(Box::new(move || outbox.send(Message::Task(key, epoch, None)))));
                }
                Watch::Task(task) => {
                    let cancel = Cancel::new();
                    let ours = cancel.clone();
                    let outbox = self.handle.clone();
                    let wake = outbox.clone();
                    let wake = Box::new(move || wake.send(Message::Task(key, epoch, None)));
                    let run = move || {
                        let handle = TaskHandle { cancel, wake };
                        if let Err(failure) = task(&handle)
                            && !handle.cancel.is_cancelled()
                        {
                            outbox.send(Message::Task(key, epoch, Some(failure)));
                        }
                    };
                    let thread = std::thread::Builder::new().name("watch".to_owned()).stack_size(256 * 1024);
                    match thread.spawn(run) {
                        Ok(thread) => slot.tasks.push((ours, thread)),
                        Err(error) => {
                            let failure = Failure::Unavailable(format!("cannot start a thread: {error}"));
                            self.handle.send(Message::Task(key, epoch, Some(failure)));
                        }
                    }
                }
            }
        }
    }

    /// A check came back from its worker.
    fn done(&mut self, done: Done) {
        let Done { key, kind, initialised, updated, watch_again, apply, changes, sent, messages, result } = done;
        let Some(slot) = self.slots.get_mut(key.index()).and_then(Option::as_mut) else { return };
        slot.kind = Implementation::Here(kind);
        slot.initialised = initialised;
        slot.running = None;
        let renew = (updated.is_some() || watch_again) && slot.epoch != 0;
        if let Some(resources) = updated {
            slot.resources = resources;
        }
        let undone = (apply && result.is_ok() && is_reversal(&slot.resources[0])).then(|| slot.resources[0].id.clone());
        // A change is announced before it is made: the last one before a failure is the one that failed.
        let made = changes.len() - usize::from(result.is_err() && !changes.is_empty());
        for change in &changes[..made] {
            self.observer.event(observer::Event::Changed { resource: &slot.resources[0], change, noop: !apply });
        }
        for text in &messages {
            self.observer.event(observer::Event::Said { id: &slot.resources[0].id, text });
        }
        self.summary.changes += made;
        if renew {
            // A received value may have changed what there is to watch; the new watches come before the old ones go.
            let old = std::mem::take(&mut slot.subscriptions);
            let tasks = std::mem::take(&mut slot.tasks);
            let _listenings = std::mem::take(&mut slot.listenings);
            slot.periods.clear();
            self.watch(key);
            for subscription in old {
                self.watcher.unsubscribe(subscription);
            }
            for (cancel, _) in tasks {
                cancel.request(CancelLevel::Cancel);
            }
        }
        if let Some((id, reversals)) = undone.zip(self.reversals.as_ref())
            && let Err(failure) = reversals.forget(&id)
        {
            self.problem(failure.code(), failure.to_string());
        }
        let finished = Finished { changed: !changes.is_empty(), sent, result };
        self.events.push_back(Event::Finished(key, finished));
        if watch_again && renew {
            // What changed between the check and the new watches is found by one more check.
            self.events.push_back(Event::Fired(key));
        }
    }

    fn report(&mut self, report: Report) {
        match report {
            Report::Failed { key, failure, retry, watch: _ } => {
                let Some(slot) = self.slots.get_mut(key.index()).and_then(Option::as_mut) else { return };
                let endless = retry.is_some_and(|(_, left)| left < 0);
                if endless && !slot.is_news(&failure, Instant::now()) {
                    return;
                }
                let event = observer::Event::Failed { resource: &slot.resources[0], failure: &failure, retry };
                self.observer.event(event);
            }
            Report::Unknown { key, failure } => {
                let Some(slot) = self.slots.get(key.index()).and_then(Option::as_ref) else { return };
                let change = Change::from(format!("known only when it is applied: {failure}"));
                let event = observer::Event::Changed { resource: &slot.resources[0], change: &change, noop: true };
                self.observer.event(event);
                self.summary.changes += 1;
            }
            Report::Swapped { vertices, kept, edges } => {
                self.observer.event(observer::Event::Swapped { vertices, edges, kept });
            }
            Report::Converged => {
                self.observer.event(observer::Event::Converged);
                if self.exits_when_done && !self.once {
                    self.stop(StopLevel::Finish);
                }
            }
            Report::Diverged => self.observer.event(observer::Event::Diverged),
            Report::Stopped => self.stopped = true,
        }
    }

    fn show_progress(&mut self, now: Instant) {
        let status = self.engine.status();
        let mut slow: Vec<(&ResourceId, Duration)> = self
            .slots
            .iter()
            .flatten()
            .filter_map(|s| Some((&s.resources[0].id, now.saturating_duration_since(s.running.as_ref()?.1))))
            .filter(|(_, time)| *time >= Duration::from_secs(1))
            .collect();
        slow.sort_by_key(|(_, time)| Reverse(*time));
        self.observer.progress(&status, &slow);
    }
}

/// The paths that `file` resources manage, if some resource has to respect them.
fn managed_paths(graph: &EngineGraph) -> Arc<ManagedPaths> {
    let resources = || graph.groups().iter().flat_map(|g| g.iter());
    let flag = |key: &str| resources().any(|r| matches!(r.params.get(key), Some(mcl_value::Value::Bool(true))));
    if !flag("purge") && !flag("recurse") {
        return Arc::default();
    }
    let files = resources().filter(|r| &*r.id.kind == "file").filter_map(Params::of);
    Arc::new(ManagedPaths::new(files.map(|p| resource_graph::file_path(&p).to_string())))
}
