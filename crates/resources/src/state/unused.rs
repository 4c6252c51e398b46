//! Removes the private directories of resources that are no longer in the program.
//!
//! A directory belongs to the resource with its kind and name, in whichever program. So what one program does not know may be
//! used by another one that is applied with the same prefix in turn: a directory is removed only after [`RETENTION`] in which
//! no program had its resource. The file `unused` in the state directory has the times at which they were missed first.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use resource_graph::ResourceId;
use rustc_hash::FxHashSet;
use safe_fs::{Error, LastLink};

use crate::StateDir;

/// How long a directory is kept after its resource left the program.
const RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);
/// The kinds whose state cannot be made again: a resource that comes back would have another password.
const IRREPLACEABLE: [&str; 1] = ["password"];

impl StateDir {
    /// Removes the private directories of resources that have been missing for 30 days, and returns their paths. `present` are
    /// the resources of the running program.
    ///
    /// # Errors
    /// The state cannot be read or written. What was not removed is tried again next time.
    pub fn remove_unused<'r>(
        &self,
        present: impl Iterator<Item = &'r ResourceId>,
        now: SystemTime,
    ) -> Result<Vec<PathBuf>, Error> {
        let (files, directory, record) = (self.files(), self.resource_dirs(), self.engine().join("unused"));
        let names = files.list(&directory)?.unwrap_or_default();
        let stored = files.read(&record)?;
        if names.is_empty() && stored.is_none() || self.is_before_creation(now)? {
            return Ok(Vec::new());
        }
        let kinds: FxHashSet<&str> = names.iter().filter_map(|name| kind_of(name.to_str()?)).collect();
        let present = present.filter(|id| kinds.contains(&*id.kind)).map(|id| self.resource_path(id));
        let present: FxHashSet<OsString> = present.filter_map(|path| Some(path.file_name()?.to_owned())).collect();
        let before: BTreeMap<String, u64> =
            stored.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
        let (mut missing, mut removed) = (BTreeMap::new(), Vec::new());
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        for name in names.iter().filter(|name| !present.contains(*name)).filter_map(|name| name.to_str()) {
            // A time in the future is one of a clock that was wrong.
            let since = before.get(name).copied().filter(|since| *since <= now).unwrap_or(now);
            let is_replaceable = kind_of(name).is_some_and(|kind| !IRREPLACEABLE.contains(&kind));
            if !is_replaceable {
                continue;
            }
            if now - since < RETENTION.as_secs() {
                missing.insert(name.to_owned(), since);
                continue;
            }
            let path = directory.join(name);
            files.lock(&path, LastLink::Keep)?.remove_tree()?;
            removed.push(path);
        }
        if missing != before {
            let text =
                serde_json::to_vec(&missing).map_err(|error| Error::io("write", &record, io::Error::from(error)))?;
            files.write(&record, &text, 0o600)?;
        }
        Ok(removed)
    }

    /// Whether a time is before this state directory was made, as on a machine whose clock is not set yet.
    fn is_before_creation(&self, now: SystemTime) -> Result<bool, Error> {
        let version = self.files().find(&self.engine().join("version"), LastLink::Keep)?;
        let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Ok(version.is_none_or(|version| i64::try_from(seconds).unwrap_or(i64::MAX) < version.stat.modified.0))
    }
}

/// Returns the kind in the name of a private directory.
fn kind_of(name: &str) -> Option<&str> {
    name.split_once('-').map(|(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_test::reopen;

    const NOTHING: [PathBuf; 0] = [];
    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn id(kind: &str, name: &str) -> ResourceId {
        ResourceId { kind: kind.into(), name: name.into() }
    }

    struct Run {
        scratch: tempfile::TempDir,
        start: SystemTime,
    }

    impl Run {
        fn new() -> Run {
            Run { scratch: tempfile::tempdir().unwrap(), start: SystemTime::now() + DAY }
        }

        /// Runs a program that keeps state for these resources, some days after the first run.
        fn on_day(&self, day: u32, program: &[ResourceId]) -> Vec<PathBuf> {
            let state = reopen(self.scratch.path());
            for id in program {
                let file = state.resource_dir(id).unwrap().join("output");
                state.files().write(&file, b"x", 0o600).unwrap();
            }
            state.remove_unused(program.iter(), self.start + DAY * day).unwrap()
        }

        fn exists(&self, id: &ResourceId) -> bool {
            StateDir::read_only(self.scratch.path()).resource_path(id).exists()
        }
    }

    #[test]
    fn state_is_removed_30_days_after_its_resource_left() {
        let run = Run::new();
        let (kept, gone) = (id("exec", "kept"), id("exec", &"/a/b".repeat(100)));
        run.on_day(0, &[kept.clone(), gone.clone()]);
        assert_eq!(run.on_day(10, std::slice::from_ref(&kept)), NOTHING);
        assert_eq!(run.on_day(39, std::slice::from_ref(&kept)), NOTHING);
        assert!(run.exists(&gone));
        assert_eq!(run.on_day(40, std::slice::from_ref(&kept)).len(), 1);
        assert!(!run.exists(&gone) && run.exists(&kept));
    }

    #[test]
    fn programs_that_take_turns_keep_their_state() {
        let run = Run::new();
        let (one, other) = ([id("exec", "one")], [id("exec", "other")]);
        for day in (0..200).step_by(20) {
            let program = if day % 40 == 0 { &one } else { &other };
            assert_eq!(run.on_day(day, program), NOTHING, "day {day}");
        }
        assert!(run.exists(&one[0]) && run.exists(&other[0]));
    }

    #[test]
    fn passwords_are_never_removed() {
        let run = Run::new();
        let password = id("password", "p");
        run.on_day(0, std::slice::from_ref(&password));
        run.on_day(1, &[]);
        assert_eq!(run.on_day(1000, &[]), NOTHING);
        assert!(run.exists(&password));
    }

    #[test]
    fn clock_that_is_wrong_removes_nothing() {
        let run = Run::new();
        let gone = id("exec", "gone");
        run.on_day(0, std::slice::from_ref(&gone));
        let remove = |now| reopen(run.scratch.path()).remove_unused(std::iter::empty(), now).unwrap();
        // Before the clock is set, and after it was set back.
        assert_eq!(remove(UNIX_EPOCH + DAY), NOTHING);
        assert_eq!(run.on_day(1000, &[]), NOTHING);
        assert_eq!(run.on_day(0, &[]), NOTHING);
        assert_eq!(run.on_day(29, &[]), NOTHING);
        assert_eq!(run.on_day(30, &[]).len(), 1);
    }
}
