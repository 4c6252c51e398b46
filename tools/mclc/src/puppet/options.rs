//! The command line of `mclc puppet`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pp_environment::CodePaths;
use pp_evaluator::Options;
use pp_functions::Strict;

use crate::cli::Format;
use crate::puppet::lookup::Lookup;

/// The arguments of `mclc puppet`: those of the compiler, or a command.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct PuppetCommand {
    #[command(subcommand)]
    pub command: Option<Subcommand>,
    #[command(flatten)]
    pub compile: Puppet,
}

/// The commands below `mclc puppet`.
#[derive(Debug, clap::Subcommand)]
pub enum Subcommand {
    /// Look keys up in the data of an environment, as `puppet lookup` does
    Lookup(Lookup),
}

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
        crate::puppet::module_path(self.puppet_module_path.as_ref())
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

/// The arguments of the compiler.
#[derive(Debug, Args)]
pub struct Puppet {
    /// A manifest (.pp), a directory of manifests, the directory of an environment, its artifact, or a catalog (.json)
    #[arg(value_name = "PATH", required = true)]
    path: Option<PathBuf>,
    /// The artifact to write, or `-` for standard output: of the environment, for every node, or with --node or --facts the
    /// graph of that node [default with --emit: standard output]
    #[arg(short, long, alias = "out", value_name = "FILE", required_unless_present = "emit")]
    pub output: Option<PathBuf>,
    /// Write an intermediate result instead of the artifact
    #[arg(long, value_enum, value_name = "RESULT")]
    pub emit: Option<PuppetEmit>,
    /// Output format for the intermediate result
    #[arg(long, value_enum, default_value_t = PuppetFormat::Text, value_name = "FORMAT")]
    pub format: PuppetFormat,
    /// Output format for diagnostics [default: json with `--format json`, else human]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub diagnostics: Option<Format>,
    /// The node to compile manifests for [default: the one that the facts are of]
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// The facts of the node, in YAML or JSON [default: those of this machine]
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    #[command(flatten)]
    pub strictness: StrictnessOptions,
    /// Print messages of manifests from this level on
    #[arg(long, value_enum, default_value_t = MessageLevel::Notice, value_name = "LEVEL")]
    pub log_level: MessageLevel,
    /// What compiles manifests
    #[arg(long, value_enum, default_value_t = Compiler::Native, value_name = "COMPILER")]
    pub compiler: Compiler,
    #[command(flatten)]
    pub code: CodeOptions,
    /// How to handle resources without a native equivalent
    #[arg(long, value_enum, default_value_t = PuppetFallback::Callback, value_name = "ACTION")]
    pub puppet_fallback: PuppetFallback,
    /// Interval at which resources that call Puppet are applied again, in seconds
    #[arg(long, default_value_t = 1800, value_name = "SECONDS")]
    pub puppet_interval: u32,
}

impl Puppet {
    /// Returns the path, which is missing only beside a command.
    pub fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }
}

/// The intermediate results of `mclc puppet`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PuppetEmit {
    /// The syntax tree of a manifest or template
    Ast,
    /// The catalog of the node
    Catalog,
    /// The relationship graph that Puppet's agent would traverse
    Relationships,
    /// The translated resource graph
    Graph,
}

/// The output formats for intermediate results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PuppetFormat {
    Text,
    Json,
    Yaml,
    Dot,
    /// Puppet's own notation for syntax trees
    Pn,
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

/// What compiles manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Compiler {
    /// The compiler of this program
    Native,
    /// An installed Puppet
    Puppet,
}

/// The ways to handle resources without a native equivalent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PuppetFallback {
    /// Apply them with `puppet apply`
    Callback,
    /// Reject them
    Error,
}
