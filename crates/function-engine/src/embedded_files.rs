//! The files that are embedded in a program.

use std::path::Path;

use mcl_artifact::program::Program;
use mcl_functions::Deploy;

/// Gives functions access to the embedded files of a program.
pub(crate) struct EmbeddedFiles<'a> {
    pub(crate) program: &'a Program,
    pub(crate) directory: Option<&'a Path>,
}

impl Deploy for EmbeddedFiles<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let index = self.program.deploy.binary_search_by(|(p, _)| (**p).cmp(path)).ok()?;
        Some(self.program.deploy[index].1.as_bytes().to_vec())
    }

    fn paths_below(&self, directory: &str) -> Vec<String> {
        let start = self.program.deploy.partition_point(|(path, _)| **path < *directory);
        let below = self.program.deploy[start..].iter().map(|(path, _)| path.to_string());
        below.take_while(|path| path.starts_with(directory)).collect()
    }

    fn directory(&self) -> Option<&Path> {
        self.directory
    }
}
