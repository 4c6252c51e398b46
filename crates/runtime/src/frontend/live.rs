//! The stream of graphs of a machine: a thread that runs the program's functions, reads the Puppet catalog, merges both,
//! adds automatic edges and groups, and hands each result to the agent.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use function_engine::{Engine, Environment, Interpreter, Waiting, Waker, WatchId};
use mcl_artifact::program::Program;
use mcl_value::Value;
use resources::{Scope, SharedValues};
use rustc_hash::FxHashMap;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::finalize::{finalize, local_host};
use crate::first_graph::A_WHILE;
use crate::frontend::telling::Telling;
use crate::frontend::{Mixer, PuppetSource, Side, SideEvent};
use crate::shell::{Handle, Message, Subscription, Watcher};

/// What graphs are made from.
pub struct LiveSource {
    /// The program, if one takes part.
    pub program: Option<Arc<Program>>,
    /// The Puppet side, if it takes part.
    pub puppet: Option<PuppetSource>,
    /// What joins them.
    pub mixer: Mixer,
    /// `$hostname`.
    pub hostname: String,
    /// Where functions keep state.
    pub state_dir: PathBuf,
    /// What resources offer to functions: the agent's.
    pub shared: Arc<SharedValues>,
}

/// A source that runs. What its functions have started, commands above all, ends when this is dropped.
pub struct RunningSource {
    world: World,
    /// Closed by the thread at its end.
    ended: Receiver<()>,
}

/// How long the end waits for a function that is being called, or for Puppet.
const LAST_CALL: Duration = Duration::from_millis(500);

impl Drop for RunningSource {
    fn drop(&mut self) {
        self.world.stopping.store(true, Ordering::Relaxed);
        self.world.ring();
        let _ = self.ended.recv_timeout(LAST_CALL);
    }
}

/// Runs the source on its own thread.
///
/// # Errors
/// The thread cannot be started.
pub fn spawn(source: LiveSource, agent: Handle) -> std::io::Result<RunningSource> {
    let world = World::new();
    let (alive, ended) = channel::<()>();
    let running = RunningSource { world: world.clone(), ended };
    // Evaluation is iterative, but values nest as deeply as the program's types.
    let thread = std::thread::Builder::new().name("functions".to_owned()).stack_size(8 << 20);
    thread.spawn(move || {
        run(source, world, &agent);
        drop(alive);
    })?;
    Ok(running)
}

fn run(source: LiveSource, world: World, agent: &Handle) {
    let LiveSource { program, puppet, mut mixer, hostname, state_dir, shared } = source;
    {
        let world = world.clone();
        shared.subscribe(Arc::new(move |kind, name| world.shared_changed(kind, name)));
    }
    if let Some(puppet) = &puppet {
        world.lock().watcher.subscribe(puppet.path(), Scope::Entry, PUPPET);
    }
    let mut interpreter = Interpreter::new();
    let mut engine = match program.map(|program| {
        let host = WatchingEnvironment { world: world.clone(), hostname, state_dir, shared };
        Engine::new(program, Box::new(host))
    }) {
        Some(Ok(engine)) => Some(engine),
        Some(Err(diagnostic)) => return agent.send(Message::SourceFailed(vec![diagnostic])),
        None => None,
    };
    if let Some(engine) = &engine {
        let world = world.clone();
        engine.events().on_arrival(Arc::new(move || world.ring()));
    }
    let mut puppet_is_due = puppet.is_some();
    let mut reload_at = None;
    let mut wait = Wait::default();
    let mut telling = Telling::default();
    let host = local_host();
    while !world.stopping.load(Ordering::Relaxed) {
        let mut events = Vec::new();
        if let Some(engine) = &mut engine {
            let round = engine.run();
            let waiting = round.as_ref().is_ok_and(|round| round.waiting);
            if wait.is_long(waiting, world.started.elapsed()) {
                agent.send(Message::Problems(engine.waiting_for().iter().map(Waiting::note).collect()));
            }
            match round {
                Ok(round) if round.changed => events
                    .push((Side::Mcl, interpreter.interpret(engine).map_or_else(SideEvent::Failed, SideEvent::Graph))),
                Ok(_) => {}
                Err(diagnostics) => events.push((Side::Mcl, SideEvent::Failed(diagnostics))),
            }
        }
        if let Some(puppet) = puppet.as_ref().filter(|_| std::mem::take(&mut puppet_is_due)) {
            let event = match puppet.load() {
                Ok((graph, warnings)) => {
                    if !warnings.is_empty() {
                        agent.send(Message::Problems(warnings));
                    }
                    SideEvent::Graph(graph)
                }
                Err(diagnostics) => SideEvent::Failed(diagnostics),
            };
            events.push((Side::Puppet, event));
            reload_at = puppet.interval().map(|interval| world.started.elapsed() + interval);
        }
        for mixed in mixer.handle(events) {
            telling
                .messages(mixed, |graph| Ok(finalize(graph, &host)?.engine))
                .into_iter()
                .for_each(|message| agent.send(message));
        }
        let next = engine.as_ref().and_then(Engine::next_deadline);
        let deadline = next.into_iter().chain(reload_at).chain(wait.deadline()).min();
        puppet_is_due = world.wait(deadline) || reload_at.is_some_and(|at| at <= world.started.elapsed());
    }
}

/// Since when the program has waited for first values, and whether that was told.
#[derive(Default)]
struct Wait {
    since: Option<Duration>,
    told: bool,
}

impl Wait {
    /// Whether it is time to say, once, what is waited for.
    fn is_long(&mut self, waiting: bool, now: Duration) -> bool {
        if !waiting {
            *self = Wait::default();
            return false;
        }
        let since = *self.since.get_or_insert(now);
        !self.told && now >= since + A_WHILE && !std::mem::replace(&mut self.told, true)
    }

    fn deadline(&self) -> Option<Duration> {
        self.since.filter(|_| !self.told).map(|since| since + A_WHILE)
    }
}

/// The watcher's token for the catalog; functions count from 1.
const PUPPET: u64 = 0;

/// Paths and the bell, shared by the thread and the functions' host.
#[derive(Clone)]
struct World {
    inner: Arc<Mutex<Inner>>,
    bell: Arc<Option<OwnedFd>>,
    stopping: Arc<AtomicBool>,
    started: Instant,
}

struct Inner {
    watcher: Watcher,
    wakers: FxHashMap<u64, (Waker, Subscription)>,
    /// Who waits for what a resource shares, by its kind and name.
    shared: FxHashMap<(String, String), Vec<(u64, Waker)>>,
    last: u64,
}

impl World {
    fn new() -> World {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok();
        let inner =
            Inner { watcher: Watcher::new(), wakers: FxHashMap::default(), shared: FxHashMap::default(), last: PUPPET };
        World {
            inner: Arc::new(Mutex::new(inner)),
            bell: Arc::new(bell),
            stopping: Arc::default(),
            started: Instant::now(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        if let Some(bell) = &*self.bell {
            let _ = rustix::io::write(bell, &1u64.to_ne_bytes());
        }
    }

    /// Wakes the functions that read what that resource shares.
    fn shared_changed(&self, kind: &str, name: &str) {
        let inner = self.lock();
        for (_, waker) in inner.shared.get(&(kind.to_owned(), name.to_owned())).into_iter().flatten() {
            waker.wake();
        }
    }

    /// Sleeps until something happens, and says whether the catalog changed.
    fn wait(&self, deadline: Option<Duration>) -> bool {
        let mut timeout = deadline.map(|at| at.saturating_sub(self.started.elapsed()));
        let watcher_fd = {
            let inner = self.lock();
            if let Some(at) = inner.watcher.next_poll() {
                let left = at.saturating_duration_since(Instant::now());
                timeout = Some(timeout.map_or(left, |t| t.min(left)));
            }
            inner.watcher.shared_fd()
        };
        if self.bell.is_none() {
            let now_and_then = Duration::from_millis(200);
            timeout = Some(timeout.map_or(now_and_then, |t| t.min(now_and_then)));
        }
        let fds: [Option<BorrowedFd<'_>>; 2] =
            [watcher_fd.as_ref().map(AsFd::as_fd), (*self.bell).as_ref().map(AsFd::as_fd)];
        let mut polled: Vec<PollFd<'_>> =
            fds.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
        let _ = poll(&mut polled, timeout.as_ref());
        if let Some(bell) = &*self.bell {
            let _ = rustix::io::read(bell, &mut [0u8; 8]);
        }
        let mut inner = self.lock();
        let tokens = inner.watcher.read(Instant::now()).unwrap_or_default();
        for token in &tokens {
            if let Some((waker, _)) = inner.wakers.get(token) {
                waker.wake();
            }
        }
        tokens.contains(&PUPPET)
    }
}

/// The world as functions see it.
struct WatchingEnvironment {
    world: World,
    hostname: String,
    state_dir: PathBuf,
    shared: Arc<SharedValues>,
}

impl Environment for WatchingEnvironment {
    fn now(&self) -> Duration {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO)
    }

    fn monotonic(&self) -> Duration {
        self.world.started.elapsed()
    }

    fn watch(&mut self, path: &Path, waker: Waker) -> WatchId {
        let mut inner = self.world.lock();
        inner.last += 1;
        let token = inner.last;
        let subscription = inner.watcher.subscribe(path, Scope::Children, token);
        inner.wakers.insert(token, (waker, subscription));
        WatchId(token)
    }

    fn watch_shared(&mut self, kind: &str, name: &str, waker: Waker) -> WatchId {
        let mut inner = self.world.lock();
        inner.last += 1;
        let token = inner.last;
        inner.shared.entry((kind.to_owned(), name.to_owned())).or_default().push((token, waker));
        WatchId(token)
    }

    fn unwatch(&mut self, watch: WatchId) {
        let mut inner = self.world.lock();
        if let Some((_, subscription)) = inner.wakers.remove(&watch.0) {
            inner.watcher.unsubscribe(subscription);
        } else {
            inner.shared.retain(|_, waiting| {
                waiting.retain(|(token, _)| *token != watch.0);
                !waiting.is_empty()
            });
        }
    }

    fn hostname(&self) -> &str {
        &self.hostname
    }

    fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    fn shared_value(&self, kind: &str, name: &str) -> Option<Value> {
        self.shared.get(kind, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_waited_for_is_told_once_after_a_while() {
        let second = Duration::from_secs(1);
        let mut wait = Wait::default();
        assert!(!wait.is_long(true, second));
        assert_eq!(wait.deadline(), Some(second + A_WHILE), "nothing else may happen until then");
        assert!(!wait.is_long(true, A_WHILE));
        assert!(wait.is_long(true, second + A_WHILE));
        assert!(!wait.is_long(true, second + A_WHILE * 2));
        assert_eq!(wait.deadline(), None);
        // The next wait is another one.
        assert!(!wait.is_long(false, A_WHILE * 3));
        assert!(!wait.is_long(true, A_WHILE * 3));
        assert!(wait.is_long(true, A_WHILE * 4));
    }
}
