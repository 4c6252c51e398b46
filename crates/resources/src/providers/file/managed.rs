//! Recognises what other resources manage, under whatever name it is found.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use safe_fs::{Files, LastLink, Stat};

use crate::ManagedPaths;

/// What the resources of the running graph manage, as it is at present.
pub(super) struct ManagedEntries {
    paths: BTreeSet<PathBuf>,
    /// Made when something is about to be removed.
    objects: OnceCell<Objects>,
}

/// The number of a device, and of an object on it.
type ObjectId = (u64, u64);

/// Directory entries by the objects that they are in, which are the same under all names: below a bind mount, paths without
/// symbolic links differ although they lead to one object.
struct Objects {
    /// The managed entries: a directory and a name in it.
    entries: FxHashSet<(ObjectId, OsString)>,
    /// All directories above them.
    directories: FxHashSet<ObjectId>,
}

impl ManagedEntries {
    pub(super) fn of(managed: &ManagedPaths, files: &Files) -> ManagedEntries {
        ManagedEntries { paths: managed.real_paths(files), objects: OnceCell::new() }
    }

    /// Returns whether the entry of a directory, with a path without symbolic links, or something below it is managed.
    pub(super) fn contain(&self, files: &Files, directory: &Stat, path: &Path, entry: &Stat) -> bool {
        let is_path = self.paths.range(path.to_path_buf()..).next().is_some_and(|below| below.starts_with(path));
        if is_path {
            return true;
        }
        let objects = self.objects.get_or_init(|| Objects::of(&self.paths, files));
        let name = path.file_name().unwrap_or_default().to_owned();
        entry.is_directory() && objects.directories.contains(&id(entry))
            || objects.entries.contains(&(id(directory), name))
    }
}

impl Objects {
    fn of(paths: &BTreeSet<PathBuf>, files: &Files) -> Objects {
        let mut found: FxHashMap<&Path, Option<ObjectId>> = FxHashMap::default();
        let mut entries = FxHashSet::default();
        for path in paths {
            // The last one is the root directory.
            for directory in path.ancestors().skip(1) {
                if found.contains_key(directory) {
                    break;
                }
                let stat = files.find(directory, LastLink::Keep).ok().flatten().map(|found| found.stat);
                found.insert(directory, stat.as_ref().map(id));
            }
            let directory = path.parent().and_then(|directory| found.get(directory).copied().flatten());
            entries.extend(directory.zip(path.file_name().map(ToOwned::to_owned)));
        }
        Objects { entries, directories: found.into_values().flatten().collect() }
    }
}

fn id(stat: &Stat) -> ObjectId {
    (stat.dev, stat.ino)
}
