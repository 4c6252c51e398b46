//! What the thread of the graph sources shares with functions, resources and the agent: watches and a way to wake it.

use std::fs::Metadata;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use function_engine::{InputVersion, Waker, WatchId};
use resources::Scope;
use rustc_hash::FxHashMap;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

use crate::sources::settle::SettleTimers;
use crate::watcher::{PathChange, Subscription, Watcher, WritePhase};

/// Time between two looks at the state when no descriptor signals a change.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The kernel takes the time of a change from the last tick of its clock, of which there are at least 100 a second.
const TIMESTAMP_GRANULARITY: Duration = Duration::from_millis(10);

/// Shared state of the thread. Cheap to clone.
#[derive(Clone)]
pub(super) struct SourceState {
    watches: Arc<Mutex<Watches>>,
    /// `None` if the process had no descriptor left.
    waker: Arc<Option<OwnedFd>>,
    stopping: Arc<AtomicBool>,
    reload_requested: Arc<AtomicBool>,
    facts_changed: Arc<AtomicBool>,
    started: Instant,
}

struct Watches {
    watcher: Watcher,
    paths: FxHashMap<u64, WatchedPath>,
    /// The files that the catalog depends on.
    catalog_paths: FxHashMap<PathBuf, CatalogPath>,
    /// Whether one of them has changed since the catalog was reported as changed.
    catalog_is_due: bool,
    /// Changed paths that are not reported yet, because their writers are at work.
    unsettled: SettleTimers,
    /// The functions that read a value shared by a resource, by the kind and name of the resource.
    shared_values: FxHashMap<(String, String), Vec<(u64, Waker)>>,
    last_token: u64,
}

impl SourceState {
    pub(super) fn new() -> SourceState {
        let watches = Watches {
            watcher: Watcher::with_write_phases(),
            paths: FxHashMap::default(),
            catalog_paths: FxHashMap::default(),
            catalog_is_due: false,
            unsettled: SettleTimers::default(),
            shared_values: FxHashMap::default(),
            last_token: 0,
        };
        SourceState {
            watches: Arc::new(Mutex::new(watches)),
            waker: Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()),
            stopping: Arc::default(),
            reload_requested: Arc::default(),
            facts_changed: Arc::default(),
            started: Instant::now(),
        }
    }

    /// Returns the time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Asks the thread to end.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.wake();
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Asks the thread to load its inputs again.
    pub(super) fn request_reload(&self) {
        self.reload_requested.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Returns whether [`SourceState::request_reload`] was called since this was asked before.
    pub(super) fn take_reload_request(&self) -> bool {
        self.reload_requested.swap(false, Ordering::Relaxed)
    }

    /// Says that facts may have changed.
    pub(super) fn report_fact_event(&self) {
        self.facts_changed.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Returns whether [`SourceState::report_fact_event`] was called since this was asked before.
    pub(super) fn take_fact_event(&self) -> bool {
        self.facts_changed.swap(false, Ordering::Relaxed)
    }

    /// Ends all watches of functions.
    pub(super) fn end_function_watches(&self) {
        let mut watches = self.lock();
        let ended: Vec<(u64, WatchedPath)> = watches.paths.drain().collect();
        for (token, watched) in ended {
            watches.watcher.unsubscribe(watched.subscription);
            watches.unsettled.remove(token);
        }
        watches.shared_values.clear();
    }

    /// Ends the current or the next [`SourceState::wait`].
    pub(super) fn wake(&self) {
        if let Some(waker) = &*self.waker {
            // Writing fails only if the counter is full, and then the thread is awake.
            let _ = rustix::io::write(waker, &1u64.to_ne_bytes());
        }
    }

    /// Watches the files that the catalog depends on, instead of those before. They were read after the time `since`: a file that
    /// was not watched then and has changed since then counts as changed.
    pub(super) fn watch_catalog<'a>(&self, paths: impl Iterator<Item = (&'a Path, Scope)>, since: SystemTime) {
        let mut watches = self.lock();
        let wanted: FxHashMap<&Path, Scope> = paths.collect();
        let Watches { watcher, catalog_paths, unsettled, .. } = &mut *watches;
        catalog_paths.retain(|path, watched| {
            let is_wanted = wanted.get(path.as_path()) == Some(&watched.scope);
            if !is_wanted {
                watcher.unsubscribe(watched.subscription);
                unsettled.remove(watched.token);
            }
            is_wanted
        });
        for (path, scope) in wanted {
            if !watches.catalog_paths.contains_key(path) {
                let token = watches.next_token();
                let subscription = watches.watcher.subscribe(path, scope, token);
                watches.catalog_paths.insert(path.to_owned(), CatalogPath { scope, subscription, token });
                if has_changed_since(path, scope, since) {
                    watches.unsettled.change(token, WritePhase::Unknown, Instant::now());
                }
            }
        }
    }

    /// Returns how often a path has changed.
    pub(super) fn input_version(&self, watch: WatchId) -> Option<InputVersion> {
        let mut watches = self.lock();
        watches.collect_changes(Instant::now());
        watches.paths.get(&watch.0).map(|watched| watched.version)
    }

    pub(super) fn watch_path(&self, path: &Path, waker: Waker) -> WatchId {
        let mut watches = self.lock();
        let token = watches.next_token();
        let subscription = watches.watcher.subscribe(path, Scope::Children, token);
        let version = InputVersion::default();
        watches.paths.insert(token, WatchedPath { path: path.to_owned(), waker, subscription, version });
        WatchId(token)
    }

    pub(super) fn watch_shared_value(&self, kind: &str, name: &str, waker: Waker) -> WatchId {
        let mut watches = self.lock();
        let token = watches.next_token();
        watches.shared_values.entry((kind.to_owned(), name.to_owned())).or_default().push((token, waker));
        WatchId(token)
    }

    pub(super) fn unwatch(&self, watch: WatchId) {
        let mut watches = self.lock();
        if let Some(watched) = watches.paths.remove(&watch.0) {
            watches.watcher.unsubscribe(watched.subscription);
            watches.unsettled.remove(watch.0);
        } else {
            watches.shared_values.retain(|_, readers| {
                readers.retain(|(token, _)| *token != watch.0);
                !readers.is_empty()
            });
        }
    }

    /// Wakes the functions that read the value that this resource shares.
    pub(super) fn shared_value_changed(&self, kind: &str, name: &str) {
        let watches = self.lock();
        for (_, waker) in watches.shared_values.get(&(kind.to_owned(), name.to_owned())).into_iter().flatten() {
            waker.wake();
        }
    }

    /// Waits until something happens or that much time has passed since the start. Returns whether the catalog changed.
    pub(super) fn wait(&self, deadline: Option<Duration>) -> bool {
        let mut timeout = deadline.map(|at| at.saturating_sub(self.elapsed()));
        let mut limit_timeout = |limit: Duration| timeout = Some(timeout.map_or(limit, |t| t.min(limit)));
        let watcher_fd = {
            let watches = self.lock();
            for at in watches.watcher.next_poll().into_iter().chain(watches.unsettled.deadline()) {
                limit_timeout(at.saturating_duration_since(Instant::now()));
            }
            watches.watcher.shared_fd()
        };
        if self.waker.is_none() {
            limit_timeout(POLL_INTERVAL);
        }
        let fds: [Option<BorrowedFd<'_>>; 2] =
            [watcher_fd.as_ref().map(AsFd::as_fd), (*self.waker).as_ref().map(AsFd::as_fd)];
        let mut fds: Vec<PollFd<'_>> =
            fds.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        let timeout = timeout.and_then(|t| Timespec::try_from(t).ok());
        // If it is interrupted, the thread looks once without need.
        let _ = poll(&mut fds, timeout.as_ref());
        if let Some(waker) = &*self.waker {
            let _ = rustix::io::read(waker, &mut [0u8; 8]);
        }
        let mut watches = self.lock();
        let now = Instant::now();
        watches.collect_changes(now);
        let settled = watches.take_settled(now);
        for token in &settled {
            if let Some(watched) = watches.paths.get(token) {
                watched.waker.wake();
            }
        }
        watches.take_catalog_change(&settled, now)
    }

    fn lock(&self) -> MutexGuard<'_, Watches> {
        self.watches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watches {
    fn next_token(&mut self) -> u64 {
        self.last_token += 1;
        self.last_token
    }

    /// Takes the changes from the watcher. They are reported once their files are settled.
    fn collect_changes(&mut self, now: Instant) {
        for PathChange { token, phase } in self.watcher.read_changes(now).unwrap_or_default() {
            if let Some(watched) = self.paths.get_mut(&token) {
                watched.version.changes += 1;
                watched.version.writing = match phase {
                    WritePhase::Writing => true,
                    WritePhase::Done => false,
                    WritePhase::Unknown => watched.version.writing,
                };
            }
            self.unsettled.change(token, phase, now);
        }
    }

    /// Takes the paths that are due to be reported.
    fn take_settled(&mut self, now: Instant) -> Vec<u64> {
        let paths = &mut self.paths;
        self.unsettled.take_due(now, |token, timer| {
            // Half of a manifest, or of a file of data, says something else than the whole.
            let Some(watched) = paths.get_mut(&token) else { return !timer.is_writing() || timer.is_overdue(now) };
            if timer.is_writing() && !timer.is_overdue(now) && is_empty_file(&watched.path) {
                return false;
            }
            if timer.is_writing() {
                // A writer that never closes the file does not delay its readers forever.
                watched.version.writing = false;
            }
            true
        })
    }

    /// Returns whether the catalog has changed, once no program is writing to any of its files.
    fn take_catalog_change(&mut self, settled: &[u64], now: Instant) -> bool {
        let paths = &self.paths;
        self.catalog_is_due |= settled.iter().any(|token| !paths.contains_key(token));
        let is_writing = self
            .unsettled
            .any(|token, timer| !paths.contains_key(&token) && timer.is_writing() && !timer.is_overdue(now));
        !is_writing && std::mem::take(&mut self.catalog_is_due)
    }
}

/// A path that the catalog depends on.
struct CatalogPath {
    scope: Scope,
    subscription: Subscription,
    token: u64,
}

/// A path that a function reads.
struct WatchedPath {
    path: PathBuf,
    waker: Waker,
    subscription: Subscription,
    version: InputVersion,
}

/// Returns whether a path, or with [`Scope::Children`] something in it, has changed since a time. It may say so of a change just
/// before.
fn has_changed_since(path: &Path, scope: Scope, since: SystemTime) -> bool {
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(TIMESTAMP_GRANULARITY);
    let is_later = |metadata: Metadata| {
        let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
        Duration::new(seconds, u32::try_from(metadata.ctime_nsec()).unwrap_or_default()) >= since
    };
    // What was removed has changed the directory that it was in.
    let is_changed = |path: &Path| match (path.metadata(), path.parent()) {
        (Ok(metadata), _) => is_later(metadata),
        (Err(_), Some(parent)) => parent.metadata().is_ok_and(is_later),
        (Err(_), None) => false,
    };
    let mut entries = match scope {
        Scope::Children => path.read_dir().ok(),
        _ => None,
    };
    is_changed(path) || entries.as_mut().is_some_and(|entries| entries.flatten().any(|entry| is_changed(&entry.path())))
}

fn is_empty_file(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use test_support::{Scratch, eventually};

    use super::*;

    /// From a time that is so far away, nothing has changed since.
    const HOUR: Duration = Duration::from_secs(3600);

    /// Takes the changes as if they had happened at `start`, and returns whether the catalog has changed at `now`.
    fn catalog_changes(state: &SourceState, start: Instant, now: Instant) -> bool {
        let mut watches = state.lock();
        watches.collect_changes(start);
        let settled = watches.take_settled(now);
        watches.take_catalog_change(&settled, now)
    }

    #[test]
    fn files_of_the_catalog_are_read_when_their_writers_are_done() {
        let scratch = Scratch::with_files([("a.yaml", "a: 1\n"), ("b.yaml", "b: 1\n")]);
        let (a, b) = (scratch.path("a.yaml"), scratch.path("b.yaml"));
        let state = SourceState::new();
        state.watch_catalog(
            [(a.as_path(), Scope::Entry), (b.as_path(), Scope::Entry)].into_iter(),
            SystemTime::now() + HOUR,
        );
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut file = std::fs::File::create(&a).expect("writable");
        file.write_all(b"a: ").expect("writable");
        eventually("the change is seen", || {
            let mut watches = state.lock();
            watches.collect_changes(start);
            watches.unsettled.deadline().is_some()
        });
        assert!(!catalog_changes(&state, start, after(2)), "half a file");
        std::fs::write(&b, "b: 2\n").expect("writable");
        assert!(!catalog_changes(&state, start, after(4)), "another file is half written");
        drop(file);
        let mut is_seen = false;
        eventually("the writer is done", || {
            is_seen |= catalog_changes(&state, start, after(5));
            is_seen
        });
        assert!(!catalog_changes(&state, start, after(6)), "it was reported");
    }

    #[test]
    fn what_changed_before_it_was_watched_is_reported_once() {
        let scratch = Scratch::with_files([("old.yaml", "a: 1\n"), ("facts.d/old.txt", "a=1\n")]);
        let reported = |name: &str, scope: Scope, since: SystemTime| {
            let (path, state, start) = (scratch.path(name), SourceState::new(), Instant::now());
            state.watch_catalog(std::iter::once((path.as_path(), scope)), since);
            let first = catalog_changes(&state, start, start + Duration::from_secs(30));
            state.watch_catalog(std::iter::once((path.as_path(), scope)), since);
            assert!(!catalog_changes(&state, start, start + Duration::from_secs(60)), "{name}: a second time");
            first
        };
        let now = SystemTime::now();
        for (name, scope) in [("old.yaml", Scope::Entry), ("facts.d", Scope::Children)] {
            assert!(reported(name, scope, now - HOUR), "{name}");
            assert!(!reported(name, scope, now + HOUR), "{name}");
        }
        assert!(reported("removed.yaml", Scope::Entry, now - HOUR), "the directory has changed");
        assert!(!reported("removed.yaml", Scope::Entry, now + HOUR));
    }

    #[test]
    fn a_writer_that_never_ends_does_not_keep_the_catalog() {
        let scratch = Scratch::with_files([("a.yaml", "a: 1\n")]);
        let a = scratch.path("a.yaml");
        let state = SourceState::new();
        state.watch_catalog(std::iter::once((a.as_path(), Scope::Entry)), SystemTime::now() + HOUR);
        let start = Instant::now();
        let mut file = std::fs::File::create(&a).expect("writable");
        file.write_all(b"a: 2\n").expect("writable");
        let mut is_seen = false;
        eventually("it is reported", || {
            is_seen |= catalog_changes(&state, start, start + Duration::from_secs(30));
            is_seen
        });
    }
}
