//! The tests of a module, and the expectations beside them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::paths::is_program;

/// The name of the directories of tests.
const DIRECTORY: &str = "tests";
/// The names of the files that make a directory a module.
const MODULE_FILES: [&str; 2] = ["metadata.yaml", "main.mcl"];

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The tests, each once, in the order of their names.
    pub tests: Vec<PathBuf>,
    /// The expectations without a test.
    pub stale: Vec<PathBuf>,
}

/// Why no tests are found.
#[derive(Debug)]
pub enum FindError {
    Missing(PathBuf),
    NotATest(PathBuf),
    Unreadable { path: PathBuf, error: ignore::Error },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Missing(path) => write!(f, "`{}` does not exist", path.display()),
            FindError::NotATest(path) => {
                write!(f, "`{}` is not a test: expected a `.mcl` file or a directory", path.display())
            }
            FindError::Unreadable { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
        }
    }
}

/// Returns the path of the expected graph of a test.
pub fn graph_file(test: &Path) -> PathBuf {
    test.with_extension("graph")
}

/// Returns the path of the expected errors of a test.
pub fn error_file(test: &Path) -> PathBuf {
    test.with_extension("err")
}

/// Returns the tests that paths of the command line stand for.
///
/// # Errors
/// A path does not exist, or is neither a program nor a directory.
pub fn find(paths: &[PathBuf]) -> Result<Found, FindError> {
    let (mut tests, mut stale) = (BTreeSet::new(), BTreeSet::new());
    for path in paths {
        if path.is_dir() {
            let below = files_below(path).map_err(|error| FindError::Unreadable { path: path.clone(), error })?;
            let expectation = |file: &PathBuf| ["graph", "err"].iter().any(|e| file.extension() == Some(OsStr::new(e)));
            let (expectations, programs): (Vec<PathBuf>, Vec<PathBuf>) = below.into_iter().partition(expectation);
            stale.extend(expectations.into_iter().filter(|file| !file.with_extension("mcl").is_file()));
            tests.extend(programs);
        } else if !path.exists() {
            return Err(FindError::Missing(path.clone()));
        } else if is_program(path) {
            tests.insert(path.clone());
        } else {
            return Err(FindError::NotATest(path.clone()));
        }
    }
    Ok(Found { tests: tests.into_iter().collect(), stale: stale.into_iter().collect() })
}

/// Returns the programs and expectations in the directories of tests below a path, but not in modules among the tests, which
/// tests import.
fn files_below(directory: &Path) -> Result<Vec<PathBuf>, ignore::Error> {
    let is_in_tests = is_in_tests(directory);
    let root = directory.to_owned();
    let is_below_tests = move |path: &Path| {
        let below = path.strip_prefix(&root).unwrap_or(path);
        is_in_tests || below.components().any(|part| part.as_os_str() == DIRECTORY)
    };
    let enter = is_below_tests.clone();
    let walk = ignore::WalkBuilder::new(directory)
        .require_git(false)
        .sort_by_file_name(Ord::cmp)
        .filter_entry(move |entry| {
            let is_module = || MODULE_FILES.iter().any(|name| entry.path().join(name).is_file());
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            // The directory of tests itself may have a `main.mcl`: a test of that name.
            let is_inner = entry.path().parent().is_some_and(&enter) && entry.depth() > 0;
            !(is_directory && is_inner && is_module())
        })
        .build();
    let mut files = Vec::new();
    for entry in walk {
        let entry = entry?;
        let path = entry.path();
        let is_wanted = is_program(path) || ["graph", "err"].iter().any(|e| path.extension() == Some(OsStr::new(e)));
        let is_file = entry.file_type().is_some_and(|kind| !kind.is_dir());
        if is_file && is_wanted && path.parent().is_some_and(&is_below_tests) {
            files.push(path.strip_prefix(".").map(Path::to_owned).unwrap_or_else(|_| path.to_owned()));
        }
    }
    Ok(files)
}

/// Returns whether a directory is one of tests, or below one, in its module.
fn is_in_tests(directory: &Path) -> bool {
    let directory = std::path::absolute(directory).map(path_clean::clean).unwrap_or_else(|_| directory.to_owned());
    let mut above = directory.ancestors();
    above
        .find_map(|ancestor| match ancestor.file_name() {
            Some(name) if name == DIRECTORY => Some(true),
            _ => MODULE_FILES.iter().any(|name| ancestor.join(name).is_file()).then_some(false),
        })
        .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_programs_below_directories_of_tests() {
        let scratch = tempfile::tempdir().expect("a directory");
        let root = scratch.path();
        for file in [
            "metadata.yaml",
            "main.mcl",
            "tests/a.mcl",
            "tests/a.graph",
            "tests/old.graph",
            "tests/deep/b.mcl",
            "tests/helper/main.mcl",
            "tests/helper/more.mcl",
            "tests/.hidden/c.mcl",
            "lib/c.mcl",
            "lib/tests/d.mcl",
            "lib/e.graph",
        ] {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            std::fs::write(path, "").expect("written");
        }
        let names = |paths: &[PathBuf]| -> Vec<String> {
            let relative = |path: &PathBuf| path.strip_prefix(root).expect("below").display().to_string();
            paths.iter().map(relative).collect()
        };
        let found = find(&[root.to_owned(), root.join("tests/a.mcl")]).expect("readable");
        assert_eq!(names(&found.tests), ["lib/tests/d.mcl", "tests/a.mcl", "tests/deep/b.mcl"]);
        assert_eq!(names(&found.stale), ["tests/old.graph"]);
        let found = find(&[root.join("tests/deep")]).expect("readable");
        assert_eq!(names(&found.tests), ["tests/deep/b.mcl"]);
        assert!(matches!(find(&[root.join("none")]), Err(FindError::Missing(_))));
        assert!(matches!(find(&[root.join("tests/a.graph")]), Err(FindError::NotATest(_))));
    }
}
