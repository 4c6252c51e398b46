//! What a kind sees of the engine during one check.

use std::collections::BTreeSet;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mcl_artifact::program::Program;
use mcl_value::Value;
use resource_graph::ResourceId;
use rustix::event::{EventfdFlags, eventfd};

use crate::{ExitRequest, Failure, Sent, SharedValues, StateDir};

/// How urgently a check has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CancelLevel {
    /// Go on.
    None,
    /// End in an orderly way: commands get their signal.
    Cancel,
    /// End now: commands are killed.
    Kill,
}

/// A request to end a check, seen by polling [`Cancel::level`] or by waiting for [`Cancel::fd`] to become readable.
#[derive(Debug, Default)]
pub struct Cancel {
    level: AtomicU8,
    fd: OnceLock<Option<OwnedFd>>,
}

impl Cancel {
    /// Nothing requested yet.
    #[must_use]
    pub fn new() -> Arc<Cancel> {
        Arc::new(Cancel::default())
    }

    /// The most urgent request so far.
    #[must_use]
    pub fn level(&self) -> CancelLevel {
        match self.level.load(Ordering::SeqCst) {
            0 => CancelLevel::None,
            1 => CancelLevel::Cancel,
            _ => CancelLevel::Kill,
        }
    }

    /// Whether anything was requested.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.level() != CancelLevel::None
    }

    /// Requests an end; never takes a request back.
    pub fn request(&self, level: CancelLevel) {
        self.level.fetch_max(level as u8, Ordering::SeqCst);
        if let Some(Some(fd)) = self.fd.get() {
            ring(fd.as_fd());
        }
    }

    /// Readable once per new request (an eventfd: read it to wait for the next one). `None` when the process has no
    /// descriptor left; callers then poll the level.
    #[must_use]
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        let fd = self.fd.get_or_init(|| eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()).as_ref()?;
        if self.is_cancelled() {
            ring(fd.as_fd());
        }
        Some(fd.as_fd())
    }
}

fn ring(fd: BorrowedFd<'_>) {
    // The only failure is a full counter, and then the descriptor is readable already.
    let _ = rustix::io::write(fd, &1u64.to_ne_bytes());
}

/// A change that was found necessary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is done, in the imperative: `create /srv/x (12 bytes)`.
    pub text: String,
    /// The contents before and after, where they can be shown.
    pub diff: Option<Diff>,
}

/// Contents before and after a change; `None` where there is nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// Of what.
    pub path: PathBuf,
    /// Before.
    pub before: Option<Vec<u8>>,
    /// After.
    pub after: Option<Vec<u8>>,
}

impl From<String> for Change {
    fn from(text: String) -> Change {
        Change { text, diff: None }
    }
}
impl From<&str> for Change {
    fn from(text: &str) -> Change {
        Change { text: text.to_owned(), diff: None }
    }
}

/// The effective paths of all `file` resources of the running graph, for kinds that must not touch what others manage.
/// Directories end with a slash.
#[derive(Debug, Default)]
pub struct ManagedPaths {
    paths: BTreeSet<String>,
}

impl ManagedPaths {
    /// From the paths.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = String>) -> ManagedPaths {
        ManagedPaths { paths: paths.into_iter().collect() }
    }

    /// Whether the path itself is managed; a trailing slash does not count.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.paths.contains(path) || self.paths.contains(&format!("{path}/"))
    }

    /// Whether something strictly below the path is managed.
    #[must_use]
    pub fn any_below(&self, path: &str) -> bool {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        self.paths.range(prefix.clone()..).take_while(|p| p.starts_with(&prefix)).any(|p| *p != prefix)
    }
}

/// Directories whose entries changed and are not synced yet. Syncing a directory once for many renames in it is what
/// makes ten thousand small files fast; until then a power failure may bring back the old entry, never half of a file.
#[derive(Debug, Default)]
pub struct PendingSyncs {
    directories: Mutex<BTreeSet<PathBuf>>,
}

impl PendingSyncs {
    /// Syncs the directory soon.
    pub fn add(&self, directory: &Path) {
        let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if !directories.contains(directory) {
            directories.insert(directory.to_path_buf());
        }
    }

    /// Syncs all of them now.
    pub fn flush(&self) {
        let directories = std::mem::take(&mut *self.directories.lock().unwrap_or_else(PoisonError::into_inner));
        for directory in directories {
            // A directory that is gone, or of a file system that cannot sync, loses nothing that we promised.
            if let Ok(directory) = std::fs::File::open(directory) {
                let _ = directory.sync_all();
            }
        }
    }
}

/// What all checks share.
#[derive(Default)]
pub struct Host {
    /// The state under the prefix; `None` where nothing may be stored (`plan`, some tests).
    pub state: Option<Arc<StateDir>>,
    /// The paths that `file` resources manage.
    pub managed: Arc<ManagedPaths>,
    /// Whether changes should carry the contents for a diff.
    pub want_diffs: bool,
    /// Directories to sync.
    pub syncs: Arc<PendingSyncs>,
    /// What resources offer to functions.
    pub shared: Arc<SharedValues>,
    /// The exit status that a resource asked for.
    pub exit: Arc<ExitRequest>,
    /// The program that runs, if one takes part.
    pub program: Option<Arc<Program>>,
}

impl Host {
    /// The same things, shared.
    #[must_use]
    pub fn share(&self) -> Host {
        Host {
            state: self.state.clone(),
            managed: self.managed.clone(),
            want_diffs: self.want_diffs,
            syncs: self.syncs.clone(),
            shared: self.shared.clone(),
            exit: self.exit.clone(),
            program: self.program.clone(),
        }
    }
}

/// What the agent asks of one check.
pub struct CheckRequest<'a> {
    /// The resource to check.
    pub id: &'a ResourceId,
    /// Whether changes may be made; `false` in noop.
    pub apply: bool,
    /// Whether a resource with a notifying edge to this one changed.
    pub refresh: bool,
    /// The parameters changed by reception since the last successful check: index of the group's member, and key.
    pub changed: &'a [(usize, Arc<str>)],
    /// What all checks share.
    pub host: &'a Host,
    /// The request to end the check.
    pub cancel: &'a Arc<Cancel>,
    /// Called before the first change is made, to record what a crash must not lose.
    pub before_first_change: Option<&'a dyn Fn() -> Result<(), Failure>>,
}

impl<'a> CheckRequest<'a> {
    /// A check without a refresh, without received values and with nothing to record.
    #[must_use]
    pub fn new(id: &'a ResourceId, host: &'a Host, cancel: &'a Arc<Cancel>, apply: bool) -> CheckRequest<'a> {
        CheckRequest { id, apply, refresh: false, changed: &[], host, cancel, before_first_change: None }
    }
}

/// What one check did besides succeeding or failing.
#[derive(Debug, Default)]
pub struct CheckOutcome {
    /// The changes announced, in order.
    pub changes: Vec<Change>,
    /// The values sent.
    pub sent: Vec<Sent>,
    /// Lines for the person who runs the agent.
    pub messages: Vec<String>,
    /// Whether [`crate::Kind::watches`] has to be called again.
    pub watch_again: bool,
}

/// One check, seen from the kind.
pub struct Context<'a> {
    pub(crate) id: &'a ResourceId,
    pub(crate) apply: bool,
    refresh: bool,
    changed: &'a [(usize, Arc<str>)],
    pub(crate) host: &'a Host,
    cancel: &'a Arc<Cancel>,
    before_first_change: Option<&'a dyn Fn() -> Result<(), Failure>>,
    pub(crate) changes: Vec<Change>,
    sent: Vec<Sent>,
    messages: Vec<String>,
    watch_again: bool,
}

impl<'a> Context<'a> {
    /// Starts a check.
    #[must_use]
    pub fn new(request: CheckRequest<'a>) -> Context<'a> {
        let CheckRequest { id, apply, refresh, changed, host, cancel, before_first_change } = request;
        Context {
            id,
            apply,
            refresh,
            changed,
            host,
            cancel,
            before_first_change,
            changes: Vec::new(),
            sent: Vec::new(),
            messages: Vec::new(),
            watch_again: false,
        }
    }

    /// Ends the check.
    #[must_use]
    pub fn into_outcome(self) -> CheckOutcome {
        let Context { changes, sent, messages, watch_again, .. } = self;
        CheckOutcome { changes, sent, messages, watch_again }
    }

    /// The resource under check.
    #[must_use]
    pub fn id(&self) -> &'a ResourceId {
        self.id
    }

    /// Announces a change and asks whether to make it: `false` in noop. Call it before touching anything.
    ///
    /// # Errors
    /// The check was cancelled, or what must be remembered across a crash could not be stored.
    pub fn change(&mut self, change: impl Into<Change>) -> Result<bool, Failure> {
        if self.apply {
            if self.cancel.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            if let Some(hook) = self.before_first_change.take() {
                hook()?;
            }
        }
        self.changes.push(change.into());
        Ok(self.apply)
    }

    /// Whether anything was announced in this check: the resource was wrong.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The changes announced so far.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether changes should carry the contents for a diff.
    #[must_use]
    pub fn wants_diffs(&self) -> bool {
        self.host.want_diffs
    }

    /// Whether a resource with a notifying edge to this one changed. Only kinds with the refresh trait see it.
    #[must_use]
    pub fn refresh(&self) -> bool {
        self.refresh
    }

    /// Whether the parameter of the leader changed by reception since the last successful check.
    #[must_use]
    pub fn received(&self, key: &str) -> bool {
        self.member_received(0, key)
    }

    /// The same for any member of the group; 0 is the leader.
    #[must_use]
    pub fn member_received(&self, member: usize, key: &str) -> bool {
        self.changed.iter().any(|(m, k)| *m == member && &**k == key)
    }

    /// The keys of a member that changed by reception.
    pub fn received_keys(&self, member: usize) -> impl Iterator<Item = &str> {
        self.changed.iter().filter(move |(m, _)| *m == member).map(|(_, k)| &**k)
    }

    /// Publishes a value of the leader; `None` says that it is not set. To be repeated in every successful check.
    pub fn send(&mut self, key: &'static str, value: Option<Value>) {
        self.sent.push(Sent { member: 0, key, value });
    }

    /// Publishes a value of any member of the group.
    pub fn send_for(&mut self, member: usize, key: &'static str, value: Option<Value>) {
        self.sent.push(Sent { member, key, value });
    }

    /// What was published in this check.
    #[must_use]
    pub fn sent(&self) -> &[Sent] {
        &self.sent
    }

    /// Has [`crate::Kind::watches`] asked again after this check: it found out what there is to watch.
    pub fn watch_again(&mut self) {
        self.watch_again = true;
    }

    /// Shows a line to the person who runs the agent.
    pub fn say(&mut self, text: impl Into<String>) {
        self.messages.push(text.into());
    }

    /// What was said in this check.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// The request to end this check.
    #[must_use]
    pub fn cancel(&self) -> &'a Arc<Cancel> {
        self.cancel
    }

    /// The managed paths of the graph.
    #[must_use]
    pub fn managed(&self) -> &'a ManagedPaths {
        &self.host.managed
    }

    /// The private directory of this resource under the prefix (mode 0700), made on the first call (spec 06 §8.2).
    ///
    /// # Errors
    /// It cannot be made, or this run may not store anything.
    pub fn state_dir(&self) -> Result<PathBuf, Failure> {
        match &self.host.state {
            Some(state) => state.resource_dir(self.id).map_err(Failure::on("create", Path::new("the state directory"))),
            None => Err(Failure::Unavailable("no state directory in this run".to_owned())),
        }
    }

    /// The private directory without making it; `None` when this run has no state.
    #[must_use]
    pub fn existing_state_dir(&self) -> Option<PathBuf> {
        self.host.state.as_ref().map(|s| s.resource_path(self.id))
    }

    /// Sees to it that changed entries of the directory reach the disk.
    pub fn sync_directory(&self, directory: &Path) {
        self.host.syncs.add(directory);
    }

    /// The program that runs, if one takes part.
    #[must_use]
    pub fn program(&self) -> Option<&'a Arc<Program>> {
        self.host.program.as_ref()
    }

    /// The state under the prefix.
    #[must_use]
    pub fn state(&self) -> Option<&'a Arc<StateDir>> {
        self.host.state.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managed_paths_compare_whole_components() {
        let managed = ManagedPaths::new(["/a/b/".to_owned(), "/a/bx".to_owned(), "/c".to_owned()]);
        assert!(managed.contains("/a/b") && managed.contains("/c/"));
        assert!(managed.any_below("/a") && managed.any_below("/a/"));
        assert!(!managed.any_below("/a/b") && !managed.any_below("/c"));
    }

    #[test]
    fn a_request_made_before_the_descriptor_exists_is_seen_on_it() {
        let cancel = Cancel::new();
        cancel.request(CancelLevel::Cancel);
        let mut buffer = [0u8; 8];
        assert_eq!(rustix::io::read(cancel.fd().expect("a descriptor"), &mut buffer), Ok(8));
    }
}
