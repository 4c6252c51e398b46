//! The files that a running program can read (spec 01 §6.10).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::clean::relative;
use crate::disk::Disk;
use crate::embedded::EmbeddedModule;
use crate::loaded::DeployFiles;

/// Where the files of a module come from.
#[derive(Debug)]
pub enum Source {
    /// From the file system.
    Disk {
        /// Its `metadata.yaml`, if it has one.
        metadata: Option<PathBuf>,
        /// Its data directory, which may not exist.
        data: Option<PathBuf>,
    },
    /// Compiled into this program.
    Embedded(&'static EmbeddedModule),
}

/// Returns the directory of a module inside the deploy. The directory of the program is the root, the global module directory
/// is `/modules/`, and what a program reaches with `../` is in `/outside/`.
pub fn module_dir(base: &Path, program: &Path, module_path: Option<&Path>) -> String {
    let below = |rest: &Path, top: &str| match rest.to_string_lossy() {
        rest if rest.is_empty() => top.to_owned(),
        rest => format!("{top}{rest}/"),
    };
    if let Ok(rest) = base.strip_prefix(program) {
        return below(rest, "/");
    }
    if let Some(rest) = module_path.and_then(|dir| base.strip_prefix(dir).ok()) {
        return below(rest, "/modules/");
    }
    let rest = relative(base, program);
    below(Path::new(rest.trim_start_matches("../").trim_start_matches("..")), "/outside/")
}

/// The files so far.
#[derive(Debug, Default)]
pub struct Deploy {
    files: BTreeMap<Arc<str>, Vec<u8>>,
    /// Not everybody may read one of the files.
    has_private: bool,
}

/// The bit of a mode that lets everybody read a file.
const READABLE_BY_OTHERS: u32 = 0o004;

type Failure = (PathBuf, io::Error);

impl Deploy {
    /// Adds the sources (metadata and main file) and the data of a module. Links out of `tree` are left out.
    pub fn add_module(
        &mut self,
        module_dir: &str,
        base: &Path,
        sources: [Option<&Path>; 2],
        data: Option<&Path>,
        tree: Option<&Path>,
        disk: &Disk,
    ) -> Result<(), Failure> {
        for path in sources.into_iter().flatten() {
            let inside = inside(module_dir, base, path);
            if let Some(bytes) = disk.given(path) {
                self.files.entry(inside).or_insert_with(|| bytes.to_vec());
            } else {
                self.add_file(inside, path)?;
            }
        }
        let Some(data) = data.filter(|data| data.is_dir()) else { return Ok(()) };
        let tree = tree.and_then(|tree| tree.canonicalize().ok());
        let mut directories = vec![data.to_owned()];
        while let Some(directory) = directories.pop() {
            let fail = |error| (directory.clone(), error);
            let real = directory.canonicalize().map_err(fail)?;
            for entry in std::fs::read_dir(&directory).map_err(fail)? {
                let path = entry.map_err(fail)?.path();
                let Ok(target) = path.canonicalize() else { continue };
                if tree.as_ref().is_some_and(|tree| !target.starts_with(tree)) {
                    continue;
                }
                if target.is_dir() {
                    // A link to a directory above would never end.
                    if !real.starts_with(&target) {
                        directories.push(path);
                    }
                } else if target.is_file() {
                    self.add_file(inside(module_dir, base, &path), &path)?;
                }
            }
        }
        Ok(())
    }

    /// Adds all files of an embedded module.
    pub fn add_embedded(&mut self, module_dir: &str, module: &EmbeddedModule) {
        for (path, contents) in module.files {
            self.files.entry(format!("{module_dir}{path}").into()).or_insert_with(|| contents.as_bytes().to_vec());
        }
    }

    fn add_file(&mut self, inside: Arc<str>, path: &Path) -> Result<(), Failure> {
        if let Entry::Vacant(new) = self.files.entry(inside) {
            let fail = |error| (path.to_owned(), error);
            let mut file = File::open(path).map_err(fail)?;
            self.has_private |= file.metadata().map_err(fail)?.mode() & READABLE_BY_OTHERS == 0;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(fail)?;
            new.insert(bytes);
        }
        Ok(())
    }

    /// Path and bytes, sorted by path, and whether not everybody may read one of the files.
    pub fn into_sorted(self) -> (DeployFiles, bool) {
        (self.files.into_iter().collect(), self.has_private)
    }
}

fn inside(module_dir: &str, base: &Path, path: &Path) -> Arc<str> {
    format!("{module_dir}{}", relative(path, base)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_lie_below_their_roots() {
        let dir = |base: &str| module_dir(Path::new(base), Path::new("/p"), Some(Path::new("/m")));
        assert_eq!(dir("/p"), "/");
        assert_eq!(dir("/p/lib"), "/lib/");
        assert_eq!(dir("/m/git.example/x"), "/modules/git.example/x/");
        assert_eq!(dir("/q/r"), "/outside/q/r/");
        assert_eq!(dir("/"), "/outside/");
    }
}
