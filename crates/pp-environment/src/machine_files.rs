//! Which files code finds outside of its own directories: those of this machine, or of one that a test describes.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The files that functions, templates and data find outside of an environment, its modules and its global layer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MachineFiles {
    /// Those of this machine.
    #[default]
    Actual,
    /// These, by their absolute paths; `None` for one that does not exist.
    Described(Arc<BTreeMap<PathBuf, Option<Vec<u8>>>>),
}

/// What is known of a file that is none of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Described<'a> {
    Content(&'a [u8]),
    Absent,
    /// Nothing, although the machine is described. The absolute path.
    Unknown(PathBuf),
}

impl MachineFiles {
    /// Returns what is known of a file; `None` if this machine decides, because it is not described, or because the file is in
    /// one of the directories of the code. An empty one, that of an artifact, is none.
    pub(crate) fn described<'p>(
        &self,
        path: &Path,
        directories: impl Iterator<Item = &'p Path>,
    ) -> Option<Described<'_>> {
        let MachineFiles::Described(files) = self else { return None };
        let path = normalized(path);
        let mut directories = directories.filter(|directory| !directory.as_os_str().is_empty());
        let is_code = directories.any(|directory| path.starts_with(normalized(directory)));
        (!is_code).then(|| match files.get(&path) {
            Some(Some(content)) => Described::Content(content),
            Some(None) => Described::Absent,
            None => Described::Unknown(path),
        })
    }
}

/// Makes a path absolute and resolves `..` in it, without a look at the machine.
fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in std::path::absolute(path).as_deref().unwrap_or(path).components() {
        match component {
            Component::ParentDir => {
                normalized.pop();
            }
            other => normalized.push(other),
        }
    }
    normalized
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_and_described_files_are_there() {
        let files = BTreeMap::from([("/etc/a".into(), Some(b"x".to_vec())), ("/etc/no".into(), None)]);
        let described = MachineFiles::Described(Arc::new(files));
        let code = [Path::new("/code"), Path::new("")];
        let find = |path: &str| described.described(Path::new(path), code.into_iter());
        assert_eq!(MachineFiles::Actual.described(Path::new("/etc/b"), code.into_iter()), None);
        assert_eq!(find("/code/m/f"), None);
        assert_eq!(find("/code/../etc/a"), Some(Described::Content(b"x")));
        assert_eq!(find("/etc/no"), Some(Described::Absent));
        assert_eq!(find("/code2"), Some(Described::Unknown("/code2".into())));
    }
}
