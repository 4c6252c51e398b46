//! The paths of a command line that lead to code and data.

use std::path::{Path, PathBuf};

use mcl_diagnostics::Diagnostic;

use crate::machine_files::MachineFiles;
use crate::read::read_start;

/// Where the code and the data of a compilation are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodePaths {
    /// A manifest, a directory of manifests, the directory of an environment, or its artifact.
    pub path: PathBuf,
    /// Directories of modules, besides those of the environment.
    pub module_path: Vec<PathBuf>,
    /// The `hiera.yaml` of all environments: the global layer of data.
    pub hiera_config: Option<PathBuf>,
    /// What the compiler cannot evaluate of Ruby, an installed one does.
    pub ruby_fallback: bool,
    /// Which files are found beside them.
    pub machine_files: MachineFiles,
}

impl CodePaths {
    /// Returns the paths of code without a global layer of data.
    #[must_use]
    pub fn new(path: &Path, module_path: &[PathBuf]) -> CodePaths {
        CodePaths { path: path.to_owned(), module_path: module_path.to_vec(), ..CodePaths::default() }
    }

    /// Makes the paths absolute, for a process that may change its working directory.
    #[must_use]
    pub fn absolute(self) -> CodePaths {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        CodePaths {
            path: absolute(self.path),
            module_path: self.module_path.into_iter().map(absolute).collect(),
            hiera_config: self.hiera_config.map(absolute),
            ..self
        }
    }

    /// Checks that the `hiera.yaml` on the command line is there: that of an environment is optional, but not this one.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(crate) fn check(&self) -> Result<(), Diagnostic> {
        match &self.hiera_config {
            Some(path) => read_start(path).map(|_| ()).map_err(|error| error.diagnostic()),
            None => Ok(()),
        }
    }
}
