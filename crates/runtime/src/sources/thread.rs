//! The thread of the graph sources: runs the program's functions, reads the Puppet catalog, merges and finalizes the graphs,
//! and sends each result to the agent.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime};

use function_engine::{Engine, Interpreter, Waiting};
use mcl_artifact::program::Program;
use mcl_diagnostics::Diagnostic;
use resource_engine::GraphPatch;
use resource_graph::AutoEdgeHost;
use resources::{Scope, SharedValues};

use crate::agent::{AgentHandle, Message};
use crate::finalize::{finalize, local_host};
use crate::first_graph::WAIT_NOTICE_DELAY;
use crate::patcher::Patcher;
use crate::sources::dedup::Deduplicator;
use crate::sources::environment::WatchingEnvironment;
use crate::sources::fact_watch::FactWatch;
use crate::sources::merger::{GraphMerger, Source, SourceEvent};
use crate::sources::puppet::PuppetSource;
use crate::sources::state::SourceState;

/// How long dropping a [`SourceThread`] waits for a running function call or for Puppet.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);
/// Evaluation is iterative, but values nest as deeply as the program's types.
const STACK_BYTES: usize = 8 << 20;

/// What the graphs of a run are made from.
pub struct GraphSource {
    /// The program, if the run has one.
    pub program: Option<Arc<Program>>,
    /// Loads the program again.
    pub load_program: Option<ProgramLoader>,
    /// The Puppet source, if the run has one.
    pub puppet: Option<PuppetSource>,
    /// Merges their graphs.
    pub merger: GraphMerger,
    /// The value of `$hostname`.
    pub hostname: String,
    /// Where functions keep state.
    pub state_dir: PathBuf,
    /// The values that the agent's resources offer to functions.
    pub shared: Arc<SharedValues>,
}

/// Loads a program; returns `None` if it is the same as before.
pub type ProgramLoader = Box<dyn FnMut() -> Result<Option<Arc<Program>>, Diagnostic> + Send>;

/// A running thread. Dropping it ends what its functions have started, such as commands.
pub struct SourceThread {
    state: SourceState,
    /// Closed by the thread at its end.
    ended: Receiver<()>,
}

impl Drop for SourceThread {
    fn drop(&mut self) {
        self.state.stop();
        let _ = self.ended.recv_timeout(SHUTDOWN_TIMEOUT);
    }
}

impl SourceThread {
    /// Returns a function that asks the thread to load the program and the catalog again.
    pub fn reloader(&self) -> impl Fn() + use<> {
        let state = self.state.clone();
        move || state.request_reload()
    }
}

/// Starts the thread.
///
/// # Errors
/// The system refuses another thread.
pub fn spawn(source: GraphSource, agent: AgentHandle) -> std::io::Result<SourceThread> {
    let state = SourceState::new();
    let (alive, ended) = channel::<()>();
    let running = SourceThread { state: state.clone(), ended };
    let thread = std::thread::Builder::new().name("functions".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(move || {
        match Sources::new(source, state, agent.clone()) {
            Ok(mut sources) => sources.run(),
            Err(diagnostic) => agent.send(Message::SourceFailed(vec![diagnostic])),
        }
        drop(alive);
    })?;
    Ok(running)
}

/// The sources of a run, as the thread holds them.
struct Sources {
    state: SourceState,
    agent: AgentHandle,
    /// `None` if the run has no program, or none that can change.
    program: Option<ProgramSource>,
    load_program: Option<ProgramLoader>,
    hostname: String,
    state_dir: PathBuf,
    shared: Arc<SharedValues>,
    puppet: Option<PuppetSource>,
    /// Whether the catalog has to be loaded.
    puppet_is_due: bool,
    /// When the catalog has to be loaded again without a change, as time since the start.
    puppet_reload_at: Option<Duration>,
    facts: FactWatch,
    merger: GraphMerger,
    deduplicator: Deduplicator,
    /// Fits changed values into the graph that was sent last; `None` if a whole graph has to be sent next.
    patcher: Option<Patcher>,
    /// Whether changes of the structure are followed: the program has made one.
    follows_structure: bool,
    /// Whether the agent asked for a whole graph.
    owes_graph: bool,
    auto_edge_host: AutoEdgeHost<'static>,
}

struct ProgramSource {
    engine: Engine,
    interpreter: Interpreter,
    notice: WaitNotice,
    /// Whether it has made a graph.
    has_graph: bool,
}

impl Sources {
    fn new(source: GraphSource, state: SourceState, agent: AgentHandle) -> Result<Sources, Diagnostic> {
        let GraphSource { program, load_program, puppet, merger, hostname, state_dir, shared } = source;
        let subscriber = state.clone();
        shared.subscribe(Arc::new(move |kind, name| subscriber.shared_value_changed(kind, name)));
        let waker = state.clone();
        agent.on_graph_request(move || waker.wake());
        if let Some(puppet) = &puppet {
            state.watch_catalog(std::iter::once((puppet.path(), Scope::Entry)), SystemTime::now());
        }
        let mut sources = Sources {
            state,
            agent,
            program: None,
            load_program,
            hostname,
            state_dir,
            shared,
            puppet_is_due: puppet.is_some(),
            puppet,
            puppet_reload_at: None,
            facts: FactWatch::default(),
            merger,
            deduplicator: Deduplicator::default(),
            patcher: None,
            follows_structure: false,
            owes_graph: false,
            auto_edge_host: local_host(),
        };
        sources.program = program.map(|program| sources.start(program)).transpose()?;
        Ok(sources)
    }

    /// Makes the engine of a program.
    fn start(&self, program: Arc<Program>) -> Result<ProgramSource, Diagnostic> {
        let environment = WatchingEnvironment {
            state: self.state.clone(),
            hostname: self.hostname.clone(),
            state_dir: self.state_dir.clone(),
            shared: self.shared.clone(),
        };
        let engine = Engine::new(program, Box::new(environment))?;
        let waker = self.state.clone();
        engine.events().on_arrival(Arc::new(move || waker.wake()));
        Ok(ProgramSource { engine, interpreter: Interpreter::new(), notice: WaitNotice::default(), has_graph: false })
    }

    /// Loads the program and the catalog again. An invalid program is reported, and the running one stays.
    fn reload(&mut self) {
        self.puppet_is_due = self.puppet.is_some();
        let loaded = self.load_program.as_mut().map_or(Ok(None), |load| load());
        let started = loaded.and_then(|program| match program {
            Some(program) => Ok(Some((self.start(program.clone())?, program))),
            None => Ok(None),
        });
        match started {
            Ok(Some((source, program))) => {
                self.state.end_function_watches();
                self.program = Some(source);
                self.agent.send(Message::Reloaded(Some(program)));
            }
            Ok(None) => self.agent.send(Message::Reloaded(None)),
            Err(diagnostic) => {
                self.agent.send(Message::Problems(vec![diagnostic]));
                self.agent.send(Message::Reloaded(None));
            }
        }
    }

    fn run(&mut self) {
        while !self.state.is_stopping() {
            if self.state.take_reload_request() {
                self.reload();
            }
            let events: Vec<(Source, SourceEvent)> =
                self.evaluate_program().into_iter().chain(self.load_catalog()).collect();
            self.release_final_program();
            self.send_graph_of(events);
            let program = self.program.as_ref();
            let deadlines = [
                program.and_then(|program| program.engine.next_deadline()),
                program.and_then(|program| program.notice.deadline()),
                self.puppet_reload_at,
                self.facts.deadline(),
            ];
            let catalog_changed = self.state.wait(deadlines.into_iter().flatten().min());
            let is_overdue = self.puppet_reload_at.is_some_and(|at| at <= self.state.elapsed());
            self.puppet_is_due = catalog_changed || is_overdue || self.facts.have_changed(&self.state);
        }
    }

    /// Merges and finalizes what the sources made, and sends it to the agent.
    fn send_graph_of(&mut self, events: Vec<(Source, SourceEvent)>) {
        if events.iter().any(|(_, event)| matches!(event, SourceEvent::Graph(_))) {
            // Unless this graph is sent, later values fit into none.
            self.patcher = None;
        }
        for outcome in self.merger.handle(events) {
            let host = &self.auto_edge_host;
            let (patcher, follows_structure) = (&mut self.patcher, self.follows_structure);
            let messages = self.deduplicator.changes(outcome, |graph| {
                let mut finalized = finalize(graph, host)?;
                if follows_structure {
                    finalized.patcher.follow(&finalized.graph, host);
                }
                *patcher = Some(finalized.patcher);
                Ok((finalized.engine, finalized.notes))
            });
            messages.into_iter().for_each(|message| self.agent.send(message));
        }
    }

    /// Brings the program's values up to date. If it is certain what changes of the graph, the agent gets these changes;
    /// otherwise the program makes a new graph.
    fn evaluate_program(&mut self) -> Option<(Source, SourceEvent)> {
        let program = self.program.as_mut()?;
        self.owes_graph |= self.agent.take_graph_request();
        let round = program.engine.run();
        let is_waiting = round.as_ref().is_ok_and(|round| round.waiting);
        if program.notice.is_due(is_waiting, self.state.elapsed()) {
            let notes = program.engine.waiting_for().iter().map(Waiting::note).collect();
            self.agent.send(Message::Problems(notes));
        }
        let event = match round {
            Ok(round) if !round.waiting && self.owes_graph => self.interpret()?,
            Ok(round) if round.changed => match self.patch() {
                Some(patch) => {
                    self.deduplicator.patched();
                    self.agent.send(Message::Patch(Box::new(patch)));
                    return None;
                }
                None => self.interpret()?,
            },
            Ok(_) => return None,
            Err(diagnostics) => SourceEvent::Failed(diagnostics),
        };
        Some((Source::Mcl, event))
    }

    /// Returns what changes of the graph, if that is certain without making it again.
    fn patch(&mut self) -> Option<GraphPatch> {
        let (program, patcher) = (self.program.as_mut()?, self.patcher.as_mut()?);
        let changes = program.interpreter.changes(&program.engine)?;
        self.follows_structure = true;
        let patch = patcher.patch(&*self.merger.translate(&changes)?)?;
        self.merger.follow(&changes);
        Some(patch)
    }

    /// Makes the graph of the program's values.
    fn interpret(&mut self) -> Option<SourceEvent> {
        let program = self.program.as_mut()?;
        self.owes_graph = false;
        self.patcher = None;
        Some(match program.interpreter.interpret(&program.engine) {
            Ok(graph) => {
                program.has_graph = true;
                SourceEvent::Graph(graph)
            }
            Err(diagnostics) => SourceEvent::Failed(diagnostics),
        })
    }

    /// Drops a program that has no other graph to come, because all its values are constants: it may take more memory than
    /// everything else.
    fn release_final_program(&mut self) {
        self.program.take_if(|program| program.has_graph && program.engine.is_final());
    }

    /// Loads the catalog if it is due.
    fn load_catalog(&mut self) -> Option<(Source, SourceEvent)> {
        let puppet = self.puppet.as_ref().filter(|_| std::mem::take(&mut self.puppet_is_due))?;
        let start = SystemTime::now();
        let loaded = puppet.load(self.facts.known());
        let entries = std::iter::once(puppet.path()).chain(loaded.dependencies.iter().map(PathBuf::as_path));
        let entries = entries.map(|path| (path, Scope::Entry));
        let directories = loaded.directories.iter().map(|path| (path.as_path(), Scope::Children));
        self.state.watch_catalog(entries.chain(directories), start);
        self.facts.follow(loaded.host_facts, &self.state);
        let event = match loaded.result {
            Ok((graph, warnings)) => {
                if !warnings.is_empty() {
                    self.agent.send(Message::Problems(warnings));
                }
                SourceEvent::Graph(graph)
            }
            Err(diagnostics) => SourceEvent::Failed(diagnostics),
        };
        self.puppet_reload_at = puppet.interval().map(|interval| self.state.elapsed() + interval);
        Some((Source::Puppet, event))
    }
}

/// Decides when to tell the user, once, that the program is waiting for first values.
#[derive(Default)]
struct WaitNotice {
    since: Option<Duration>,
    shown: bool,
}

impl WaitNotice {
    /// Whether the notice is due at the time `now`.
    fn is_due(&mut self, is_waiting: bool, now: Duration) -> bool {
        if !is_waiting {
            *self = WaitNotice::default();
            return false;
        }
        let since = *self.since.get_or_insert(now);
        !self.shown && now >= since + WAIT_NOTICE_DELAY && !std::mem::replace(&mut self.shown, true)
    }

    fn deadline(&self) -> Option<Duration> {
        self.since.filter(|_| !self.shown).map(|since| since + WAIT_NOTICE_DELAY)
    }
}

#[cfg(test)]
mod tests {
    use graph_merge::MergeOptions;
    use test_support::eventually;

    use super::*;
    use crate::agent::{Agent, AgentOptions, Event, Observer};

    struct Silent;

    impl Observer for Silent {
        fn event(&mut self, _: Event<'_>) {}
    }

    #[test]
    fn program_that_cannot_change_is_dropped_once_its_graph_is_made() {
        let state = tempfile::tempdir().expect("a temporary directory");
        let mut observer = Silent;
        let agent = Agent::new(AgentOptions::default(), &mut observer).expect("no state to read");
        let program = Arc::new(Program::default());
        let source = GraphSource {
            program: Some(Arc::clone(&program)),
            load_program: None,
            puppet: None,
            merger: GraphMerger::new(&[Source::Mcl], MergeOptions::default()),
            hostname: "h1".to_owned(),
            state_dir: state.path().to_owned(),
            shared: agent.shared(),
        };
        let running = spawn(source, agent.handle()).expect("a thread");
        eventually("only the test has the program", || Arc::strong_count(&program) == 1);
        assert!(!running.state.is_stopping(), "the thread waits for requests to load another program");
    }

    #[test]
    fn wait_is_reported_once_after_a_delay() {
        let second = Duration::from_secs(1);
        let mut notice = WaitNotice::default();
        assert!(!notice.is_due(true, second));
        assert_eq!(notice.deadline(), Some(second + WAIT_NOTICE_DELAY), "nothing else may happen until then");
        assert!(!notice.is_due(true, WAIT_NOTICE_DELAY));
        assert!(notice.is_due(true, second + WAIT_NOTICE_DELAY));
        assert!(!notice.is_due(true, second + WAIT_NOTICE_DELAY * 2));
        assert_eq!(notice.deadline(), None);
        // The next wait is another one.
        assert!(!notice.is_due(false, WAIT_NOTICE_DELAY * 3));
        assert!(!notice.is_due(true, WAIT_NOTICE_DELAY * 3));
        assert!(notice.is_due(true, WAIT_NOTICE_DELAY * 4));
    }
}
