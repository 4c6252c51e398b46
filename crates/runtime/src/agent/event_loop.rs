//! The event loop: waits for anything to happen, and feeds it to the resource engine.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcl_artifact::program::DeployedFiles;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_engine::{Config, Engine, Event, Failure, StopLevel, Time, VertexKey};
use resources::{
    ApplyContext, DigestSalt, PendingSyncs, PlanSettings, RefreshJournal, Reversals, SharedValues, StateDir,
    is_refreshable, overlay_files,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use safe_fs::Backups;

use crate::agent::claims::{claims, edited_files};
use crate::agent::damping::{Cause, Changes, HeldEvents};
use crate::agent::exports::ExportTracker;
use crate::agent::job::SharedContext;
use crate::agent::mailbox::{AgentHandle, Message};
use crate::agent::observer::{self, Observer};
use crate::agent::planned::PlannedChanges;
use crate::agent::pool::Workers;
use crate::agent::shutdown::Shutdown;
use crate::agent::signals::Signals;
use crate::agent::slot::Slots;
use crate::agent::summary::Summary;
use crate::agent::unseen::UnseenChanges;
use crate::agent::watching::Watching;

/// How long finished checks may wait for each other while the workers have a backlog.
const COMPLETION_BATCH_DELAY: Duration = Duration::from_millis(1);
/// The time without a change after which an agent that keeps running reports that it has converged.
const CONVERGED_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum number of checks that one step of the engine starts.
const MAX_STARTS_PER_STEP: usize = 256;
/// Time between two looks into the mailbox when no descriptor signals new messages.
const MAILBOX_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The settings of a run.
#[derive(Default)]
pub struct AgentOptions {
    /// Change nothing.
    pub noop: bool,
    /// Check everything once, then exit.
    pub once: bool,
    /// Exit after this long without a change.
    pub converged_timeout: Option<Duration>,
    /// Maximum number of checks that run in parallel.
    pub max_parallel: Option<u32>,
    /// Plan changes instead of making them: files change in memory only, and everything else not at all.
    pub plan: Option<PlanSettings>,
    /// Whether changes carry the contents of files.
    pub want_diffs: bool,
    /// Salt of the digests of contents that changes carry; `None` for none.
    pub digest_salt: Option<DigestSalt>,
    /// Make these changes only; `None` for all that are needed.
    pub planned: Option<Arc<PlannedChanges>>,
    /// Where state is kept; `None` keeps none.
    pub state: Option<StateDir>,
    /// Where to keep what changes of files replace or remove; `None` keeps nothing.
    pub backups: Option<Arc<Backups>>,
    /// The files of the program that the graphs come from, if there is one.
    pub deployed: Option<DeployedFiles>,
    /// The source of signals; `None` does not handle them.
    pub signals: Option<Signals>,
}

/// When the agent exits without being asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunMode {
    /// Never.
    Daemon,
    /// After one check of everything.
    Once,
    /// When the engine reports convergence.
    UntilConverged,
}

/// What has input after a wait.
struct Ready {
    files: bool,
    signals: bool,
}

/// The resource engine with the I/O around it.
pub struct Agent<'o> {
    pub(super) engine: Engine,
    /// Events for the engine, in order.
    pub(super) events: VecDeque<Event>,
    /// The origin of the engine's time.
    started: Instant,
    pub(super) mode: RunMode,
    pub(super) observer: &'o mut dyn Observer,
    pub(super) summary: Summary,
    pub(super) handle: AgentHandle,
    pub(super) slots: Slots,
    pub(super) workers: Workers,
    pub(super) watching: Watching,
    /// What all checks share.
    pub(super) context: Arc<SharedContext>,
    /// Reversals of resources that left the program; `None` without a state directory.
    pub(super) reversals: Option<Reversals>,
    /// Whether the running graph contains reversals.
    pub(super) has_reversals: bool,
    /// Whether a whole graph was requested and has not come.
    pub(super) awaits_graph: bool,
    /// The exports of this host; `None` in noop.
    pub(super) exports: Option<ExportTracker>,
    signals: Option<Signals>,
    /// Asks the source of the graphs to load its input again.
    reload: Option<Box<dyn Fn()>>,
    /// Events of resources that change again and again.
    held: HeldEvents,
    shutdown: Shutdown,
    /// The vertices whose planned changes cannot be seen by others.
    pub(super) unseen: UnseenChanges,
    /// Whether state is kept, and may be removed.
    pub(super) keeps_state: bool,
    /// When to look for state that nobody needs; `None` before the first graph.
    pub(super) housekeeping: Option<Instant>,
    /// Whether the loop has ended.
    pub(super) stopped: bool,
}

impl<'o> Agent<'o> {
    /// Makes an agent without a graph; graphs arrive through [`Agent::handle`].
    ///
    /// # Errors
    /// The notifications that an earlier run left cannot be read.
    pub fn new(options: AgentOptions, observer: &'o mut dyn Observer) -> std::io::Result<Agent<'o>> {
        let (is_plan, state) = (options.plan.is_some(), options.state.as_ref());
        // Nothing is stored in noop.
        let writable_state = state.filter(|_| !options.noop && !is_plan);
        let keeps_state = writable_state.is_some();
        let open_journal = |state: &StateDir| RefreshJournal::open(state.shared_files(), state.engine());
        let journal = writable_state.map(open_journal).transpose().map_err(safe_fs::Error::into_io)?.map(Arc::new);
        if let Some(journal) = journal.as_ref().filter(|journal| journal.invalid_lines() > 0) {
            let diagnostic = lost_notifications(journal);
            observer.event(observer::Event::Problem(&diagnostic));
        }
        let undelivered = match (&journal, state) {
            (Some(journal), _) => journal.pairs(),
            (None, Some(state)) if is_plan => {
                RefreshJournal::stored_pairs(state.files(), state.engine()).map_err(safe_fs::Error::into_io)?
            }
            (None, _) => Vec::new(),
        };
        let reversals = state.map(Reversals::new);
        let exports = writable_state.map(|state| ExportTracker::new(state.shared_store()));
        let shared = state.map_or_else(SharedValues::default, SharedValues::stored);
        let config = Config {
            noop: options.noop,
            once: options.once,
            converged_timeout: options.converged_timeout.or((!options.once).then_some(CONVERGED_TIMEOUT)),
            refreshable: Some(is_refreshable),
            claims: Some(claims),
            exclusive: Some(edited_files),
            max_parallel: options.max_parallel,
            max_starts_per_step: Some(MAX_STARTS_PER_STEP),
            undelivered,
            ..Config::default()
        };
        let mode = match options.converged_timeout {
            _ if options.once => RunMode::Once,
            Some(_) => RunMode::UntilConverged,
            None => RunMode::Daemon,
        };
        let handle = AgentHandle::new();
        let syncs = Arc::new(PendingSyncs::default());
        let apply = ApplyContext {
            shared: Arc::new(shared),
            // With a state directory, its files are an overlay.
            files: (is_plan && options.state.is_none()).then(overlay_files),
            state: options.state.map(Arc::new),
            backups: options.backups,
            plan: options.plan,
            want_diffs: options.want_diffs,
            digest_salt: options.digest_salt,
            syncs: syncs.clone(),
            deployed: options.deployed,
            ..ApplyContext::default()
        };
        Ok(Agent {
            engine: Engine::new(config),
            events: VecDeque::new(),
            started: Instant::now(),
            mode,
            observer,
            summary: Summary::default(),
            slots: Slots::default(),
            workers: Workers::new(&handle, move || syncs.flush()),
            watching: Watching::new(handle.clone()),
            handle,
            context: Arc::new(SharedContext { apply, journal, planned: options.planned }),
            reversals,
            has_reversals: false,
            awaits_graph: false,
            exports,
            signals: options.signals,
            reload: None,
            held: HeldEvents::default(),
            shutdown: Shutdown::default(),
            unseen: UnseenChanges::default(),
            keeps_state,
            housekeeping: None,
            stopped: false,
        })
    }

    /// Returns a handle for other threads.
    #[must_use]
    pub fn handle(&self) -> AgentHandle {
        self.handle.clone()
    }

    /// Sets what SIGHUP does: `reload` asks the source of the graphs to load its input again.
    pub fn on_reload(&mut self, reload: impl Fn() + 'static) {
        self.reload = Some(Box::new(reload));
    }

    /// Returns the values that resources offer to functions.
    #[must_use]
    pub fn shared(&self) -> Arc<SharedValues> {
        self.context.shared.clone()
    }

    /// Runs until a request to stop or, depending on the options, until the work is done. The agent cannot run again. A
    /// process that exits afterwards need not drop it.
    pub fn run(&mut self) -> Summary {
        let mut next_progress = self.observer.interval().map(|interval| Instant::now() + interval);
        while !self.stopped {
            let ready = self.wait(next_progress);
            let now = Instant::now();
            if ready.signals || self.shutdown.is_escalation_due(now) {
                self.handle_signals(now);
            }
            for message in self.handle.take() {
                self.handle_message(message);
            }
            if ready.files || self.watching.is_poll_due(now) {
                self.handle_file_events(now);
            }
            self.handle_timers(now);
            self.events.push_back(Event::Tick);
            self.step();
            if self.mode == RunMode::Once && !self.shutdown.is_requested() && self.engine.is_quiet() {
                self.stop(StopLevel::Finish);
                self.step();
            }
            if next_progress.is_some_and(|at| at <= now) {
                self.show_progress(now);
                next_progress = self.observer.interval().map(|interval| now + interval);
            }
            if self.shutdown.is_overdue(now) {
                self.stopped = true;
            }
        }
        self.finish()
    }

    pub(super) fn engine_time(&self) -> Time {
        self.started.elapsed()
    }

    /// Waits for input or for the next deadline, and returns what has input.
    fn wait(&self, progress: Option<Instant>) -> Ready {
        let engine = self.engine.deadline().map(|at| self.started + at);
        let deadlines = [
            engine,
            self.held.deadline(),
            self.watching.deadline(),
            progress,
            self.shutdown.deadline(),
            self.housekeeping,
        ];
        let mut timeout = deadlines.into_iter().flatten().min().map(|at| at.saturating_duration_since(Instant::now()));
        let mut limit_timeout = |limit: Duration| timeout = Some(timeout.map_or(limit, |t| t.min(limit)));
        if self.workers.has_backlog() {
            self.handle.defer_wakeups();
            limit_timeout(COMPLETION_BATCH_DELAY);
        }
        let watcher = self.watching.fd();
        let mailbox = self.handle.fd();
        let signals: Vec<_> = self.signals.iter().flat_map(Signals::fds).collect();
        if mailbox.is_none() {
            limit_timeout(MAILBOX_POLL_INTERVAL);
        }
        let mut fds: Vec<PollFd<'_>> = [watcher.as_ref(), mailbox.as_ref()]
            .into_iter()
            .flatten()
            .chain(&signals)
            .map(|fd| PollFd::new(fd, PollFlags::IN))
            .collect();
        let timeout = timeout.map(|t| Timespec {
            tv_sec: i64::try_from(t.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(t.subsec_nanos()),
        });
        let polled = poll(&mut fds, timeout.as_ref());
        // An interrupted poll says nothing about the descriptors: a signal may be ready.
        let is_ready = |fd: Option<&PollFd<'_>>| polled.is_err() || fd.is_some_and(|fd| !fd.revents().is_empty());
        let first_signal = usize::from(watcher.is_some()) + usize::from(mailbox.is_some());
        Ready {
            files: watcher.is_some() && is_ready(fds.first()),
            signals: fds[first_signal..].iter().any(|fd| is_ready(Some(fd))),
        }
    }

    fn handle_message(&mut self, message: Message) {
        match message {
            Message::Graph(graph) => self.handle_graph(graph),
            Message::Patch(patch) => self.handle_patch(*patch),
            Message::SourceFailed(diagnostics) => {
                self.report_problems(&diagnostics);
                self.summary.source_failed = true;
                if self.mode != RunMode::Daemon {
                    self.stop(StopLevel::Finish);
                }
            }
            Message::Problems(diagnostics) => self.report_problems(&diagnostics),
            Message::Reloaded(program) => {
                self.observer.event(observer::Event::Reloaded(program.as_ref()));
                if let Some(program) = program {
                    let apply = ApplyContext { deployed: Some(program.deploy.clone()), ..self.context.apply.clone() };
                    self.context = Arc::new(SharedContext { apply, ..(*self.context).clone() });
                }
            }
            Message::Stop(level) => {
                self.summary.interrupted = true;
                self.stop(level);
            }
            Message::Done(done) => {
                self.handle_done(*done.0);
                if let Some(status) = self.context.exit.requested().filter(|_| self.summary.exit_status.is_none()) {
                    self.summary.exit_status = Some(status);
                    self.stop(StopLevel::Finish);
                }
            }
            Message::Task(key, epoch, failure) => {
                let is_current = self.slots.get(key).is_some_and(|slot| slot.watches.epoch == epoch);
                match failure {
                    None if is_current => self.fire(key, Instant::now()),
                    Some(failure) if is_current => self.events.push_back(Event::WatchFailed(key, epoch, failure)),
                    None | Some(_) => {}
                }
            }
        }
        self.step();
    }

    fn handle_signals(&mut self, now: Instant) {
        let requests = self.signals.as_mut().map(Signals::take).unwrap_or_default();
        if let Some(reload) = self.reload.as_ref().filter(|_| requests.reload) {
            self.observer.event(observer::Event::Reloading);
            reload();
        }
        if requests.status {
            self.show_status();
        }
        self.summary.signal = self.summary.signal.or(requests.shutdown.signal());
        for escalation in self.shutdown.escalate(requests.shutdown, now) {
            self.summary.interrupted = true;
            self.observer.event(observer::Event::Stopping(&escalation.text));
            self.stop(escalation.level);
        }
    }

    /// Raises the shutdown level, unless it is as high already.
    pub(super) fn stop(&mut self, level: StopLevel) {
        if self.shutdown.request(level, Instant::now()) {
            self.workers.close();
            self.events.push_back(Event::Stop(level));
        }
    }

    fn handle_file_events(&mut self, now: Instant) {
        match self.watching.changed_paths(now) {
            Ok(keys) => keys.into_iter().for_each(|key| self.fire(key, now)),
            Err(error) => self.report_problem(Code::R0409, format!("cannot read file events: {error}")),
        }
        if self.watching.take_limit_reached() {
            let message = "the kernel allows no more file watches: some paths are checked every two seconds instead";
            let diagnostic = Diagnostic::warning(Code::R0411, Stage::Engine, message)
                .help("raise fs.inotify.max_user_watches or fs.inotify.max_user_instances");
            self.report_problems(&[diagnostic]);
        }
    }

    fn handle_timers(&mut self, now: Instant) {
        self.remove_unused_state_if_due(now);
        let slots = &self.slots;
        let due = self.watching.due_timers(now, |key| slots.get(key).map(|slot| &slot.watches));
        due.into_iter().for_each(|key| self.fire(key, now));
        let slots = &mut self.slots;
        while let Some(key) = self.held.take_due(now, |key| slots.get_mut(key)?.changes.as_deref_mut()) {
            self.events.push_back(Event::Fired(key));
        }
    }

    /// Passes an event of a resource to the engine, later if the resource changes again and again.
    pub(super) fn fire(&mut self, key: VertexKey, now: Instant) {
        let changes = self.slots.get_mut(key).and_then(|slot| slot.changes.as_deref_mut());
        if changes.is_none_or(|changes| !self.held.hold(key, changes, now)) {
            self.events.push_back(Event::Fired(key));
        }
    }

    /// Counts a change of a resource, and reports it if somebody else undoes its changes.
    pub(super) fn count_change(&mut self, key: VertexKey, cause: Cause, now: Instant) {
        let Some(slot) = self.slots.get_mut(key) else { return };
        let Some(fight) = slot.changes.get_or_insert_with(|| Box::new(Changes::new(now))).count(now, cause) else {
            return;
        };
        let (id, seconds) = (&slot.resources[0].id, fight.time.as_secs().max(1));
        let count = format!("{} changes in {seconds} s", fight.changes);
        let message = format!("{id} is changed again and again by another resource or program: {count}");
        let help = "find out what else changes it, and let only one of them manage it; while it changes very often, it is \
                    checked at intervals of up to a minute";
        let diagnostic = Diagnostic::warning(Code::R0413, Stage::Engine, message);
        let diagnostic = diagnostic.maybe_at(slot.resources[0].span).help(help);
        self.report_problems(&[diagnostic]);
    }

    /// Feeds the events to the engine and executes its commands, until there are no events left.
    pub(super) fn step(&mut self) {
        while let Some(event) = self.events.pop_front() {
            let now = self.engine_time();
            for command in self.engine.step(event, now) {
                self.execute(command);
            }
        }
        self.workers.submit();
    }

    pub(super) fn report_problem(&mut self, code: Code, message: String) {
        self.report_problems(&[Diagnostic::error(code, Stage::Engine, message)]);
    }

    pub(super) fn report_failures(&mut self, failures: &[Failure]) {
        for failure in failures {
            self.report_problem(failure.code(), failure.to_string());
        }
    }

    fn report_problems(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            self.observer.event(observer::Event::Problem(diagnostic));
        }
    }
}

/// Says that the journal of notifications was corrupted, by a disk or by another program.
fn lost_notifications(journal: &RefreshJournal) -> Diagnostic {
    let lines = match journal.invalid_lines() {
        1 => "1 line".to_owned(),
        n => format!("{n} lines"),
    };
    let message = format!("cannot read {lines} of {}: notifications may be lost", journal.path().display());
    Diagnostic::warning(Code::R0410, Stage::Engine, message)
        .help("the agent continues without them; restart services whose configuration has just changed")
}
