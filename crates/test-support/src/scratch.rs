//! Directories of a test's own.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary directory, removed when it is dropped.
pub struct Scratch(TempDir);

impl Scratch {
    /// Creates an empty directory.
    #[allow(clippy::new_without_default, reason = "it has a side effect")]
    pub fn new() -> Scratch {
        Scratch(TempDir::new().expect("a temporary directory"))
    }

    /// Creates a directory that contains these files, each given as its relative path and its content.
    pub fn with_files<C: AsRef<[u8]>>(files: impl IntoIterator<Item = (impl AsRef<Path>, C)>) -> Scratch {
        let scratch = Scratch::new();
        for (path, content) in files {
            scratch.write(path, content);
        }
        scratch
    }

    /// Returns the path of the directory itself.
    pub fn dir(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of something in the directory.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.dir().join(relative)
    }

    /// Writes a file, after creating the directories above it.
    #[track_caller]
    pub fn write(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        let parent = path.parent().expect("a path inside the directory");
        fs::create_dir_all(parent).unwrap_or_else(|error| panic!("cannot create {}: {error}", parent.display()));
        fs::write(&path, content).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
    }

    /// Returns the content of a file, or nothing if it cannot be read as UTF-8.
    pub fn read(&self, relative: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.path(relative)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_below_new_directories_and_removed_with_the_scratch() {
        let scratch = Scratch::with_files([("a/b/c.mcl", "$x = 1\n"), ("main.mcl", "")]);
        let dir = scratch.dir().to_owned();
        assert_eq!(scratch.read("a/b/c.mcl").as_deref(), Some("$x = 1\n"));
        assert_eq!(scratch.read("main.mcl").as_deref(), Some(""));
        assert_eq!(scratch.read("other.mcl"), None);
        drop(scratch);
        assert!(!dir.exists());
    }
}
