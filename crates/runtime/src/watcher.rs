//! One inotify instance for any number of paths.
//!
//! Subscribed paths form a tree of their components. Only directories are watched: the watch of a directory reports its
//! files. All directories above a path are watched for the creation and removal of the component that leads to it, so a
//! path is noticed however many of its parents appear, disappear or are replaced. When a component appears or disappears,
//! all subscriptions below it are reported and the watches below it are made again.
//!
//! Where the kernel refuses a watch (limit reached, no permission), and below a link to a directory that does not exist, the
//! paths are reported every [`POLL_INTERVAL`] instead. When the kernel's queue overflows, everything is reported once: spurious reports are harmless, missed ones are
//! not.

mod follow;
mod links;
mod subscription;
#[cfg(test)]
mod tests;
mod tree;

use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::{Duration, Instant};

use resources::Scope;
use rustc_hash::FxHashMap;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use crate::watcher::links::Links;
pub use crate::watcher::subscription::Subscription;
use crate::watcher::tree::{ROOT, State, Subscriber, Tree};

/// Time between two reports of paths that cannot be watched.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// A change of a path that was subscribed under this token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// The token of the subscription.
    pub token: u64,
    /// What is known of the writer.
    pub phase: WritePhase,
}

/// What an event says about the process that changes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePhase {
    /// It has the file open and may write more.
    Writing,
    /// It has closed, moved or removed the file.
    Done,
    /// It changed an attribute, which says nothing about the content.
    Unknown,
}

/// Reports changes of paths. When [`Watcher::fd`] is readable, [`Watcher::read`] returns them.
pub struct Watcher {
    inotify: Option<Arc<OwnedFd>>,
    nodes: Tree,
    by_wd: FxHashMap<i32, Vec<usize>>,
    serial: u64,
    /// The nodes that cannot be watched.
    refused: Vec<usize>,
    /// When the refused nodes are reported next.
    poll_at: Option<Instant>,
    limit_reached: bool,
    limit_reported: bool,
    /// The events that tell a changed file from one that is being changed.
    content: WatchFlags,
    links: Links,
    buffer: Vec<MaybeUninit<u8>>,
}

const STRUCTURE: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR)
    .union(WatchFlags::MASK_ADD);
const CONTENT: WatchFlags = WatchFlags::MODIFY.union(WatchFlags::ATTRIB);

impl Default for Watcher {
    fn default() -> Watcher {
        Watcher::new()
    }
}

impl Watcher {
    /// Makes a watcher without subscriptions. If the system has no inotify instance left, everything is polled.
    #[must_use]
    pub fn new() -> Watcher {
        let inotify = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok().map(Arc::new);
        Watcher {
            limit_reached: inotify.is_none(),
            limit_reported: false,
            inotify,
            nodes: Tree::new(),
            by_wd: FxHashMap::default(),
            serial: 0,
            refused: Vec::new(),
            poll_at: None,
            content: CONTENT,
            links: Links::default(),
            buffer: vec![MaybeUninit::uninit(); 64 * 1024],
        }
    }

    /// Makes a watcher that also reports when a writer closes a file, so that [`WritePhase::Done`] follows
    /// [`WritePhase::Writing`].
    #[must_use]
    pub fn with_write_phases() -> Watcher {
        Watcher { content: CONTENT.union(WatchFlags::CLOSE_WRITE), ..Watcher::new() }
    }

    /// Returns the descriptor that is readable when there are changes; `None` if everything is polled.
    #[must_use]
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inotify.as_ref().map(AsFd::as_fd)
    }

    /// Returns the same descriptor, shared, to wait for it while another thread uses the watcher.
    #[must_use]
    pub fn shared_fd(&self) -> Option<Arc<OwnedFd>> {
        self.inotify.clone()
    }

    /// Returns when [`Watcher::read`] has to be called even if the descriptor is not readable.
    #[must_use]
    pub fn next_poll(&self) -> Option<Instant> {
        self.poll_at
    }

    /// Whether the kernel's limit on watches was reached, so that some paths are polled; `true` at most once.
    pub fn take_limit_reached(&mut self) -> bool {
        self.limit_reached && !std::mem::replace(&mut self.limit_reported, true)
    }

    /// Reports changes of the path under that token from now on, and of what it leads to while it is a symbolic link. The
    /// watch is in place when this returns.
    pub fn subscribe(&mut self, path: &Path, scope: Scope, token: u64) -> Subscription {
        let subscription = self.subscribe_one(path, scope, token);
        if scope != Scope::Name {
            self.follow(subscription, path, token);
        }
        subscription
    }

    /// Subscribes to a path without following it.
    fn subscribe_one(&mut self, path: &Path, scope: Scope, token: u64) -> Subscription {
        let mut node = ROOT;
        for name in components(path) {
            node = self.nodes.child_or_new(node, name);
        }
        self.serial += 1;
        self.nodes[node].subscribers.push(Subscriber { serial: self.serial, token, scope });
        self.watch_chain(node);
        if scope == Scope::Recursive {
            self.walk(node);
        }
        Subscription { node, serial: self.serial }
    }

    /// Ends a subscription.
    pub fn unsubscribe(&mut self, subscription: Subscription) {
        self.unfollow(subscription);
        let Some(node) = self.nodes.get_mut(subscription.node) else { return };
        let before = node.subscribers.len();
        node.subscribers.retain(|s| s.serial != subscription.serial);
        if node.subscribers.len() < before {
            self.prune(subscription.node);
        }
    }

    /// Returns the tokens of the paths that changed since they were read before, each once.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn read(&mut self, now: Instant) -> io::Result<Vec<u64>> {
        let mut tokens: Vec<u64> = self.read_changes(now)?.into_iter().map(|change| change.token).collect();
        tokens.sort_unstable();
        tokens.dedup();
        Ok(tokens)
    }

    /// Returns the changes since they were read before, in order; a token may occur several times.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn read_changes(&mut self, now: Instant) -> io::Result<Vec<PathChange>> {
        let mut changes = Vec::new();
        if self.poll_at.is_some_and(|at| at <= now) {
            self.poll_at = None;
            for node in std::mem::take(&mut self.refused) {
                if self.nodes[node].used && self.nodes[node].state == State::Refused {
                    self.nodes[node].state = State::Unwatched;
                    self.renew(node, WritePhase::Done, &mut changes);
                }
            }
        }
        let events = self.read_events()?;
        for event in events {
            self.handle(&event, &mut changes);
        }
        Ok(changes)
    }

    fn read_events(&mut self) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        let Some(fd) = &self.inotify else { return Ok(events) };
        let mut reader = inotify::Reader::new(fd, &mut self.buffer);
        loop {
            match reader.next() {
                Ok(event) => events.push(Event {
                    wd: event.wd(),
                    flags: event.events(),
                    name: event.file_name().map(|n| OsStr::from_bytes(n.to_bytes()).to_owned()),
                }),
                Err(Errno::AGAIN) => return Ok(events),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if events.len() >= 65_536 {
                return Ok(events);
            }
        }
    }

    fn handle(&mut self, event: &Event, changes: &mut Vec<PathChange>) {
        let phase = event.phase();
        if event.flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            self.forget_below(ROOT);
            return self.renew(ROOT, phase, changes);
        }
        let Some(nodes) = self.by_wd.get(&event.wd).cloned() else { return };
        if event.flags.contains(ReadFlags::IGNORED) {
            self.by_wd.remove(&event.wd);
            for node in nodes {
                self.nodes[node].state = State::Missing;
                self.renew(node, phase, changes);
            }
            return;
        }
        if event.flags.intersects(ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF | ReadFlags::UNMOUNT) {
            for node in nodes {
                self.forget_below(node);
                self.renew(node, phase, changes);
            }
            return;
        }
        let Some(name) = &event.name else { return };
        let comes_or_goes = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        let structural = event.flags.intersects(comes_or_goes);
        for node in nodes {
            if let Some(child) = self.nodes.child(node, name) {
                if structural {
                    self.forget_below(child);
                    self.renew(child, phase, changes);
                } else {
                    changes.extend(self.nodes[child].subscribers.iter().map(|s| PathChange { token: s.token, phase }));
                }
            }
            let subscribers = self.nodes[node].subscribers.iter();
            let subscribers = subscribers.filter(|s| s.scope.has_entries());
            changes.extend(subscribers.map(|s| PathChange { token: s.token, phase }));
            let is_new_directory = event.flags.contains(ReadFlags::ISDIR)
                && event.flags.intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO);
            if self.report_recursive(node, phase, changes) && is_new_directory {
                let child = self.nodes.child_or_new(node, name);
                self.nodes[child].walked = true;
                self.walk(child);
            }
        }
    }

    /// Reports the recursive subscriptions of the node and of those above it; returns whether there are any.
    fn report_recursive(&self, mut node: usize, phase: WritePhase, changes: &mut Vec<PathChange>) -> bool {
        let mut found = false;
        loop {
            for subscriber in self.nodes[node].subscribers.iter().filter(|s| s.scope == Scope::Recursive) {
                changes.push(PathChange { token: subscriber.token, phase });
                found = true;
            }
            if node == ROOT {
                return found;
            }
            node = self.nodes.parent(node);
        }
    }

    fn is_below_recursive(&self, node: usize) -> bool {
        self.report_recursive(node, WritePhase::Unknown, &mut Vec::new())
    }

    /// Makes the watches at and below the node again, and reports all subscriptions there.
    fn renew(&mut self, node: usize, phase: WritePhase, changes: &mut Vec<PathChange>) {
        let mut todo = vec![node];
        let mut renewed = Vec::new();
        while let Some(at) = todo.pop() {
            renewed.push(at);
            changes.extend(self.nodes[at].subscribers.iter().map(|s| PathChange { token: s.token, phase }));
            self.watch(at);
            if self.nodes[at].subscribers.iter().any(|s| s.scope == Scope::Recursive) {
                self.walk(at);
            }
            todo.extend(self.nodes.children(at));
            self.follow_again(at);
        }
        if node != ROOT {
            self.report_recursive(self.nodes.parent(node), phase, changes);
        }
        // What was below a recursive subscription and is removed for good must not take memory. Children come after parents.
        for at in renewed.into_iter().rev() {
            if self.nodes[at].state == State::Missing && std::mem::take(&mut self.nodes[at].walked) {
                self.prune_upwards(at);
            }
        }
    }

    /// Removes all watches at and below a node.
    fn forget_below(&mut self, node: usize) {
        let mut todo = vec![node];
        while let Some(at) = todo.pop() {
            self.unwatch(at);
            self.nodes[at].state = State::Unwatched;
            todo.extend(self.nodes.children(at));
        }
    }

    fn unwatch(&mut self, node: usize) {
        let State::Watched { wd, .. } = self.nodes[node].state else { return };
        self.nodes[node].state = State::Unwatched;
        let Some(sharing) = self.by_wd.get_mut(&wd) else { return };
        sharing.retain(|n| *n != node);
        if sharing.is_empty() {
            self.by_wd.remove(&wd);
            if let Some(fd) = &self.inotify {
                // Fails only if the kernel has removed it already.
                let _ = inotify::remove_watch(fd, wd);
            }
        }
    }

    /// Watches the directories from the root to the node, up to the first that does not exist.
    fn watch_chain(&mut self, node: usize) {
        let mut chain = vec![node];
        let mut at = node;
        while at != ROOT {
            at = self.nodes.parent(at);
            chain.push(at);
        }
        for at in chain.into_iter().rev() {
            if self.nodes[at].state == State::Missing {
                return;
            }
            self.watch(at);
        }
    }

    /// Makes the watch that the node needs, unless it has one.
    fn watch(&mut self, node: usize) {
        let this = &self.nodes[node];
        let deep = this.walked || this.subscribers.iter().any(|s| s.scope.has_entries());
        let full = deep || self.nodes.children(node).any(|child| !self.nodes[child].subscribers.is_empty());
        let needed = full || self.nodes.has_children(node);
        let enough = match this.state {
            State::Watched { full: has, .. } => has || !full,
            State::Refused => true,
            State::Unwatched | State::Missing => false,
        };
        if !needed || enough {
            return;
        }
        let path = self.nodes.path(node);
        let flags = if full { STRUCTURE | self.content } else { STRUCTURE };
        let result = match &self.inotify {
            Some(fd) => inotify::add_watch(fd, &path, flags),
            None => Err(Errno::NOSPC),
        };
        self.nodes[node].state = match result {
            Ok(wd) => {
                let sharing = self.by_wd.entry(wd).or_default();
                if !sharing.contains(&node) {
                    sharing.push(node);
                }
                State::Watched { wd, full }
            }
            // Nothing reports that the target of a link appears.
            Err(Errno::NOENT | Errno::LOOP) if !path.is_symlink() => State::Missing,
            Err(Errno::NOTDIR) => State::Missing,
            Err(error) => {
                self.limit_reached |= error == Errno::NOSPC;
                self.refused.push(node);
                self.poll_at = self.poll_at.or_else(|| Some(Instant::now() + POLL_INTERVAL));
                State::Refused
            }
        };
    }

    /// Watches every directory at and below the node. Directories that are created meanwhile are reported by the watches of
    /// their parents.
    fn walk(&mut self, node: usize) {
        let mut todo = vec![node];
        while let Some(at) = todo.pop() {
            self.watch(at);
            if !matches!(self.nodes[at].state, State::Watched { .. }) {
                continue;
            }
            let Ok(entries) = std::fs::read_dir(self.nodes.path(at)) else { continue };
            for entry in entries.flatten() {
                if entry.file_type().is_ok_and(|t| t.is_dir()) {
                    let child = self.nodes.child_or_new(at, &entry.file_name());
                    self.nodes[child].walked = true;
                    todo.push(child);
                }
            }
        }
    }

    /// Removes a node and those above it, as far as they are not needed.
    fn prune(&mut self, mut node: usize) {
        // Nodes that a recursive subscription made are not needed without one.
        if !self.is_below_recursive(node) {
            let mut todo: Vec<usize> = self.nodes.children(node).collect();
            let mut walked = Vec::new();
            while let Some(at) = todo.pop() {
                todo.extend(self.nodes.children(at));
                if std::mem::take(&mut self.nodes[at].walked) {
                    walked.push(at);
                }
            }
            for at in walked.into_iter().rev() {
                self.prune_upwards(at);
            }
        }
        while node != ROOT && !self.nodes[node].used {
            node = self.nodes.parent(node);
        }
        self.prune_upwards(node);
    }

    fn prune_upwards(&mut self, mut node: usize) {
        while node != ROOT && self.nodes[node].used {
            let this = &self.nodes[node];
            if self.nodes.has_children(node) || this.walked {
                return;
            }
            let deep = this.subscribers.iter().any(|s| s.scope.has_entries());
            if !deep {
                self.unwatch(node);
            }
            if !self.nodes[node].subscribers.is_empty() {
                return;
            }
            let parent = self.nodes.parent(node);
            self.nodes.remove(node);
            node = parent;
        }
    }
}

struct Event {
    wd: i32,
    flags: ReadFlags,
    name: Option<OsString>,
}

impl Event {
    /// A file that was just created is still empty: its writer closes it, and only links are created without one.
    fn phase(&self) -> WritePhase {
        let is_new_file = self.flags.contains(ReadFlags::CREATE) && !self.flags.contains(ReadFlags::ISDIR);
        if is_new_file || self.flags.contains(ReadFlags::MODIFY) {
            WritePhase::Writing
        } else if self.flags.contains(ReadFlags::ATTRIB) {
            WritePhase::Unknown
        } else {
            WritePhase::Done
        }
    }
}

/// Returns the names from the root down; `.` and `..` are resolved lexically.
fn components(path: &Path) -> Vec<&OsStr> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::ParentDir => {
                names.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    names
}
