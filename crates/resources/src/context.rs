//! The interface between a provider and the agent during one check.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mcl_artifact::program::DeployedFiles;
use mcl_value::Value;
use resource_graph::{Params, Resource, ResourceId};
use rustc_hash::FxHashMap;
use rustix::event::{EventfdFlags, eventfd};
use safe_fs::{Backups, Files};

use crate::digest::DigestSalt;
use crate::file_access::failure;
use crate::home::expand_home;
use crate::planned_accounts::PlannedAccounts;
use crate::{Change, ExitRequest, Failure, Sent, SharedValues, StateDir};

/// How urgently a check must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CancelLevel {
    /// No request.
    None,
    /// End gracefully: commands receive their signal.
    Cancel,
    /// End immediately: commands are killed.
    Kill,
}

/// A request to end a check, seen by polling [`Cancel::level`] or by waiting for [`Cancel::fd`] to become readable.
#[derive(Debug, Default)]
pub struct Cancel {
    level: AtomicU8,
    fd: OnceLock<Option<OwnedFd>>,
}

impl Cancel {
    /// Returns a handle without a request.
    #[must_use]
    pub fn new() -> Arc<Cancel> {
        Arc::new(Cancel::default())
    }

    /// Returns the most urgent request so far.
    #[must_use]
    pub fn level(&self) -> CancelLevel {
        match self.level.load(Ordering::SeqCst) {
            0 => CancelLevel::None,
            1 => CancelLevel::Cancel,
            _ => CancelLevel::Kill,
        }
    }

    /// Returns whether the end was requested.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.level() != CancelLevel::None
    }

    /// Requests the end of the check; never lowers the level.
    pub fn request(&self, level: CancelLevel) {
        self.level.fetch_max(level as u8, Ordering::SeqCst);
        if let Some(Some(fd)) = self.fd.get() {
            signal(fd.as_fd());
        }
    }

    /// Returns an eventfd that becomes readable with each new request; reading it resets it. Each call after a request makes it
    /// readable again. `None` if the process has no descriptor left; callers must poll the level then.
    #[must_use]
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        let fd = self.fd.get_or_init(|| eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()).as_ref()?;
        if self.is_cancelled() {
            signal(fd.as_fd());
        }
        Some(fd.as_fd())
    }
}

fn signal(fd: BorrowedFd<'_>) {
    // Fails only if the counter is full, and then the descriptor is readable already.
    let _ = rustix::io::write(fd, &1u64.to_ne_bytes());
}

/// The effective paths of all resources of the running graph that manage files, for providers that must not remove them.
/// Directories may end with a slash.
#[derive(Debug, Default)]
pub struct ManagedPaths {
    /// Whether the paths are those of the running graph. They are not collected where nobody looks at them.
    is_known: bool,
    paths: Vec<PathBuf>,
    /// The indices of the paths by their last component, made on first use.
    by_name: OnceLock<FxHashMap<OsString, Vec<u32>>>,
}

impl ManagedPaths {
    /// Returns a set of these paths.
    #[must_use]
    pub fn new(paths: impl IntoIterator<Item = String>) -> ManagedPaths {
        ManagedPaths { is_known: true, paths: paths.into_iter().map(PathBuf::from).collect(), by_name: OnceLock::new() }
    }

    /// Returns the files that these resources manage.
    #[must_use]
    pub fn of<'r>(resources: impl Iterator<Item = &'r Resource>) -> ManagedPaths {
        ManagedPaths { is_known: true, paths: managed_files(resources).collect(), by_name: OnceLock::new() }
    }

    /// Returns whether this set is that of the running graph.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.is_known
    }

    /// Returns the set in which some resources are others. Takes time linear in the size of the set.
    #[must_use]
    pub fn with_changes<'r>(
        &self,
        old: impl Iterator<Item = &'r Resource>,
        new: impl Iterator<Item = &'r Resource>,
    ) -> ManagedPaths {
        let mut gone: FxHashMap<PathBuf, u32> = FxHashMap::default();
        managed_files(old).for_each(|path| *gone.entry(path).or_default() += 1);
        let mut stays = |path: &&PathBuf| match gone.get_mut(*path).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                false
            }
            None => true,
        };
        let paths = self.paths.iter().filter(&mut stays).cloned().chain(managed_files(new)).collect();
        ManagedPaths { is_known: self.is_known, paths, by_name: OnceLock::new() }
    }

    /// Returns whether a resource manages this path, in any spelling with the same last component.
    #[must_use]
    pub fn contains(&self, files: &Files, path: &Path) -> bool {
        let by_name = self.by_name.get_or_init(|| {
            let mut by_name: FxHashMap<OsString, Vec<u32>> = FxHashMap::default();
            for (i, path) in self.paths.iter().enumerate() {
                if let Some(name) = path.file_name() {
                    by_name.entry(name.to_owned()).or_default().push(i as u32);
                }
            }
            by_name
        });
        let Some(same_name) = path.file_name().and_then(|name| by_name.get(name)) else { return false };
        let real = files.real_paths(path);
        let mut others = same_name.iter().filter_map(|i| self.paths.get(*i as usize));
        others.any(|other| files.real_paths(other).first() == real.first())
    }

    /// Returns the paths without symbolic links, `.`, `..` and repeated slashes, as they are at present. For a path that leads
    /// to a link, both the link and its target are managed. So are directories that a path leaves by `..`, without which it
    /// does not exist.
    #[must_use]
    pub fn real_paths(&self, files: &Files) -> BTreeSet<PathBuf> {
        let left = self.paths.iter().flat_map(|path| left_directories(path)).flat_map(|path| files.real_paths(&path));
        self.paths.iter().flat_map(|path| files.real_paths(path)).chain(left).collect()
    }
}

/// Returns the directories that a path leaves by `..`, in its spelling.
fn left_directories(path: &Path) -> Vec<PathBuf> {
    let mut left = Vec::new();
    let mut above = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            left.push(above.clone());
        }
        above.push(component);
    }
    left
}

/// Returns the paths of the files that resources manage, without those of unknown users.
fn managed_files<'r>(resources: impl Iterator<Item = &'r Resource>) -> impl Iterator<Item = PathBuf> {
    let files = resources.filter_map(Params::of).flat_map(|params| (params.kind().managed_files)(&params));
    files.filter_map(|file| if file.starts_with('~') { expand_home(&file).ok() } else { Some(file.into()) })
}

/// Directories with changed entries that are not synced yet. Syncing a directory once for many renames makes many small files
/// fast; a power failure before may restore an old entry, but never leaves a partial file.
#[derive(Debug, Default)]
pub struct PendingSyncs {
    directories: Mutex<BTreeSet<PathBuf>>,
}

impl PendingSyncs {
    /// Adds a directory.
    pub fn add(&self, directory: &Path) {
        let mut directories = self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if !directories.contains(directory) {
            directories.insert(directory.to_path_buf());
        }
    }

    /// Syncs all directories.
    pub fn flush(&self) {
        for directory in self.take() {
            Files::of_kernel().sync_directory(&directory);
        }
    }

    /// Returns the directories, which the caller syncs.
    pub(crate) fn take(&self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut *self.directories.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The settings of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanSettings {
    /// Whether commands that only look at the machine run, such as the guards of `exec`.
    pub run_commands: bool,
}

/// Which earlier changes of a plan a check cannot see, because they are only announced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unseen {
    /// There are some outside of files.
    pub elsewhere: bool,
    /// There are some outside of files, or in files: commands do not see the overlay.
    pub any: bool,
}

/// What all checks of an agent share.
#[derive(Clone, Default)]
pub struct ApplyContext {
    /// The state directory; `None` where nothing may be stored.
    pub state: Option<Arc<StateDir>>,
    /// The files that resources check and change; `None` for those of the machine.
    pub files: Option<Arc<Files>>,
    /// Where to keep what changes replace or remove.
    pub backups: Option<Arc<Backups>>,
    /// The paths that `file` resources manage.
    pub managed: Arc<ManagedPaths>,
    /// Whether changes must include a diff.
    pub want_diffs: bool,
    /// Set if changes must include digests of contents; it is part of what is hashed.
    pub digest_salt: Option<DigestSalt>,
    /// Set if the checks plan changes instead of making them. The files are an overlay then.
    pub plan: Option<PlanSettings>,
    /// Directories to sync.
    pub syncs: Arc<PendingSyncs>,
    /// The values that resources offer to functions.
    pub shared: Arc<SharedValues>,
    /// The exit status that a resource requested.
    pub exit: Arc<ExitRequest>,
    /// What planned changes make of accounts.
    pub planned_accounts: Arc<PlannedAccounts>,
    /// The files of the running program, if there is one.
    pub deployed: Option<DeployedFiles>,
}

/// Refuses changes that may not be made.
pub type Permit<'a> = dyn Fn(&Change) -> Result<(), Failure> + 'a;

impl ApplyContext {
    fn files(&self) -> &Files {
        match (&self.files, &self.state) {
            (Some(files), _) => files,
            (None, Some(state)) => state.files(),
            (None, None) => Files::of_kernel(),
        }
    }

    /// Returns the files for a check that may change them, if what it replaces or removes is kept.
    #[must_use]
    pub fn backed_up_files(&self, id: &ResourceId) -> Option<Files> {
        self.backups.as_ref().map(|backups| self.files().backed_up(backups, id.to_string()))
    }
}

/// The parameters of one check.
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
    pub apply_context: &'a ApplyContext,
    /// The request to end the check.
    pub cancel: &'a Arc<Cancel>,
    /// Called before the first change is made, to record what a crash must not lose.
    pub before_first_change: Option<&'a dyn Fn() -> Result<(), Failure>>,
    /// Called before each change, to refuse it.
    pub permit: Option<&'a Permit<'a>>,
    /// The files that the check uses; `None` for those of [`ApplyContext`].
    pub files: Option<&'a Files>,
    /// Which earlier changes of a plan the check cannot see.
    pub unseen: Unseen,
}

impl<'a> CheckRequest<'a> {
    /// Returns a check without a notification, received values, or a hook.
    #[must_use]
    pub fn new(
        id: &'a ResourceId,
        apply_context: &'a ApplyContext,
        cancel: &'a Arc<Cancel>,
        apply: bool,
    ) -> CheckRequest<'a> {
        CheckRequest {
            id,
            apply,
            refresh: false,
            changed: &[],
            apply_context,
            cancel,
            before_first_change: None,
            permit: None,
            files: None,
            unseen: Unseen::default(),
        }
    }
}

/// The results of one check, besides its success or failure.
#[derive(Debug, Default)]
pub struct CheckOutcome {
    /// The changes announced, in order.
    pub changes: Vec<Change>,
    /// The values sent.
    pub sent: Vec<Sent>,
    /// Messages for the user.
    pub messages: Vec<String>,
    /// Whether [`crate::Provider::watches`] must be called again.
    pub watch_again: bool,
}

/// One running check, as its provider sees it.
pub struct Context<'a> {
    pub(crate) id: &'a ResourceId,
    pub(crate) apply: bool,
    refresh: bool,
    changed: &'a [(usize, Arc<str>)],
    pub(crate) apply_context: &'a ApplyContext,
    cancel: &'a Arc<Cancel>,
    before_first_change: Option<&'a dyn Fn() -> Result<(), Failure>>,
    permit: Option<&'a Permit<'a>>,
    files: &'a Files,
    unseen: Unseen,
    pub(crate) changes: Vec<Change>,
    sent: Vec<Sent>,
    messages: Vec<String>,
    watch_again: bool,
}

impl<'a> Context<'a> {
    /// Starts a check.
    #[must_use]
    pub fn new(request: CheckRequest<'a>) -> Context<'a> {
        let CheckRequest {
            id,
            apply,
            refresh,
            changed,
            apply_context,
            cancel,
            before_first_change,
            permit,
            files,
            unseen,
        } = request;
        Context {
            id,
            apply,
            refresh,
            changed,
            apply_context,
            cancel,
            before_first_change,
            permit,
            files: files.unwrap_or_else(|| apply_context.files()),
            unseen,
            changes: Vec::new(),
            sent: Vec::new(),
            messages: Vec::new(),
            watch_again: false,
        }
    }

    /// Ends the check and returns its results.
    #[must_use]
    pub fn into_outcome(self) -> CheckOutcome {
        let Context { changes, sent, messages, watch_again, .. } = self;
        CheckOutcome { changes, sent, messages, watch_again }
    }

    /// Returns the resource under check.
    #[must_use]
    pub fn id(&self) -> &'a ResourceId {
        self.id
    }

    /// Announces a change. Returns whether to make it, which is `false` in noop mode. Must be called before the change.
    ///
    /// # Errors
    /// The check was cancelled, the change is not permitted, or the hook before the first change failed.
    pub fn change(&mut self, change: impl Into<Change>) -> Result<bool, Failure> {
        let change = change.into();
        if self.apply {
            if self.cancel.is_cancelled() {
                return Err(Failure::Cancelled);
            }
            if let Some(Err(failure)) = self.permit.map(|permit| permit(&change)) {
                // The last change of a failed check is the one that failed.
                self.changes.push(change);
                return Err(failure);
            }
            if let Some(hook) = self.before_first_change.take() {
                hook()?;
            }
        }
        self.changes.push(change);
        Ok(self.apply)
    }

    /// Announces a change outside of [`Context::files`], made by a provider whose other effects are there. Returns whether to
    /// make it.
    ///
    /// # Errors
    /// As for [`Context::change`].
    pub(crate) fn change_machine(&mut self, change: impl Into<Change>) -> Result<bool, Failure> {
        Ok(self.change(change)? && self.plan().is_none())
    }

    /// Returns the settings of the plan, if this check plans changes instead of making them.
    #[must_use]
    pub fn plan(&self) -> Option<PlanSettings> {
        self.apply_context.plan
    }

    /// Returns which earlier changes of the plan this check cannot see.
    #[must_use]
    pub fn unseen(&self) -> Unseen {
        self.unseen
    }

    /// Returns whether this check announced a change.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// What earlier changes of a plan make of accounts.
    pub(crate) fn planned_accounts(&self) -> &PlannedAccounts {
        &self.apply_context.planned_accounts
    }

    /// Returns the changes announced so far.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether changes must include a diff.
    #[must_use]
    pub(crate) fn wants_diffs(&self) -> bool {
        self.apply_context.want_diffs
    }

    /// Returns the salt of the digests that changes must include; `None` for none.
    #[must_use]
    pub fn digest_salt(&self) -> Option<DigestSalt> {
        self.apply_context.digest_salt
    }

    /// Returns whether a resource with a notifying edge to this one changed. Always false for kinds without the refresh trait.
    #[must_use]
    pub fn refresh(&self) -> bool {
        self.refresh
    }

    /// Returns whether a parameter of the leader changed by reception since the last successful check.
    #[must_use]
    pub fn received(&self, key: &str) -> bool {
        self.member_received(0, key)
    }

    /// Returns whether a parameter of a member changed by reception; member 0 is the leader.
    #[must_use]
    pub(crate) fn member_received(&self, member: usize, key: &str) -> bool {
        self.changed.iter().any(|(m, k)| *m == member && &**k == key)
    }

    /// Returns the parameters of a member that changed by reception.
    pub(crate) fn received_keys(&self, member: usize) -> impl Iterator<Item = &str> {
        self.changed.iter().filter(move |(m, _)| *m == member).map(|(_, k)| &**k)
    }

    /// Sends a value of the leader; `None` if it is not set. Must be called in every successful check.
    pub fn send(&mut self, key: &'static str, value: Option<Value>) {
        self.sent.push(Sent { member: 0, key, value, sensitive: false });
    }

    /// Sends a value of a member.
    pub(crate) fn send_for(&mut self, member: usize, key: &'static str, value: Option<Value>) {
        self.sent.push(Sent { member, key, value, sensitive: false });
    }

    /// Returns the values sent in this check.
    #[must_use]
    pub fn sent(&self) -> &[Sent] {
        &self.sent
    }

    /// Requests a call of [`crate::Provider::watches`] after this check, which found new sources of events.
    pub fn watch_again(&mut self) {
        self.watch_again = true;
    }

    /// Prints a message for the user.
    pub(crate) fn emit_message(&mut self, text: impl Into<String>) {
        self.messages.push(text.into());
    }

    /// Returns the messages of this check.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        &self.messages
    }

    /// Returns the handle that requests the end of this check.
    #[must_use]
    pub fn cancel(&self) -> &'a Arc<Cancel> {
        self.cancel
    }

    /// Returns the files that resources check and change.
    #[must_use]
    pub fn files(&self) -> &'a Files {
        self.files
    }

    /// Returns the managed paths of the graph.
    #[must_use]
    pub fn managed(&self) -> &'a ManagedPaths {
        &self.apply_context.managed
    }

    /// Returns the private directory of this resource, created with mode 0700 if needed (spec 06 §8.2).
    ///
    /// # Errors
    /// The directory cannot be created, or this run has no state directory.
    pub fn state_dir(&self) -> Result<PathBuf, Failure> {
        match &self.apply_context.state {
            Some(state) => state.resource_dir(self.id).map_err(failure),
            None => Err(Failure::Unavailable("no state directory in this run".to_owned())),
        }
    }

    /// Returns the path of the private directory, which may not exist; `None` without a state directory.
    #[must_use]
    pub(crate) fn existing_state_dir(&self) -> Option<PathBuf> {
        self.apply_context.state.as_ref().map(|s| s.resource_path(self.id))
    }

    /// Schedules a sync of the directory.
    pub fn sync_directory(&self, directory: &Path) {
        self.apply_context.syncs.add(directory);
    }

    /// Returns the files that the running program was deployed with, if there is a program.
    #[must_use]
    pub fn deployed(&self) -> Option<&'a DeployedFiles> {
        self.apply_context.deployed.as_ref()
    }

    /// Returns the state directory.
    #[must_use]
    pub fn state(&self) -> Option<&'a Arc<StateDir>> {
        self.apply_context.state.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_made_before_the_descriptor_exists_is_seen_on_it() {
        let cancel = Cancel::new();
        cancel.request(CancelLevel::Cancel);
        let mut buffer = [0u8; 8];
        assert_eq!(rustix::io::read(cancel.fd().expect("a descriptor"), &mut buffer), Ok(8));
    }
}
