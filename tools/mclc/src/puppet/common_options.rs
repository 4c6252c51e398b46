//! Options that the compiler and `lookup` share.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pp_environment::CodePaths;
use pp_evaluator::Options;
use pp_functions::Strict;

/// Where modules and data are, besides those of the environment.
#[derive(Debug, Args)]
pub struct CodeOptions {
    /// Directories of Puppet modules, separated by `:`; manifests find classes there, and files that resources copy from a
    /// module are read there
    #[arg(long, aliases = ["puppet-modulepath", "modulepath", "module-path"], value_name = "DIRS")]
    pub puppet_module_path: Option<OsString>,
    /// The `hiera.yaml` of all environments: the global layer of data
    #[arg(long, alias = "hiera_config", value_name = "FILE")]
    pub hiera_config: Option<PathBuf>,
    /// Let an installed Ruby evaluate functions and templates that this compiler cannot evaluate, in a helper process
    #[arg(long)]
    pub ruby_fallback: bool,
}

impl CodeOptions {
    /// Returns the directories of the module path.
    pub fn module_path(&self) -> Vec<PathBuf> {
        module_path(self.puppet_module_path.as_ref())
    }

    /// Returns the paths of a compilation.
    pub fn paths(&self, path: &Path) -> CodePaths {
        CodePaths {
            hiera_config: self.hiera_config.clone(),
            ruby_fallback: self.ruby_fallback,
            ..CodePaths::new(path, &self.module_path())
        }
    }
}

/// How strict the evaluation is.
#[derive(Debug, Args)]
pub struct StrictnessOptions {
    /// What happens where Puppet 8 rejects what Puppet 7 accepts; `error` also implies --strict-variables
    #[arg(long, value_enum, default_value_t = Strictness::Warning, value_name = "LEVEL")]
    pub strict: Strictness,
    /// Whether an unknown variable is an error
    #[arg(long, value_name = "BOOLEAN", num_args = 0..=1, default_missing_value = "true")]
    pub strict_variables: Option<bool>,
}

impl StrictnessOptions {
    /// Returns the setting `strict`.
    pub fn level(&self) -> Strict {
        match self.strict {
            Strictness::Off => Strict::Off,
            Strictness::Warning => Strict::Warning,
            Strictness::Error => Strict::Error,
        }
    }

    /// Sets the options of a compilation.
    pub fn set(&self, options: &mut Options) {
        options.strict = self.level();
        options.strict_variables = self.strict_variables.unwrap_or(self.strict == Strictness::Error);
    }
}

/// Returns the directories of the module path on a command line.
pub fn module_path(directories: Option<&OsString>) -> Vec<PathBuf> {
    directories.into_iter().flat_map(std::env::split_paths).collect()
}

/// The values of the setting `strict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strictness {
    Off,
    /// As Puppet 7 does by default
    Warning,
    /// As Puppet 8 does by default
    Error,
}

/// The levels of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Err,
}
