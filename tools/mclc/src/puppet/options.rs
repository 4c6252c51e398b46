//! The command line of `mclc puppet`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::Format;

/// The arguments of `mclc puppet`.
#[derive(Debug, Args)]
pub struct Puppet {
    /// A manifest (.pp), a directory of manifests, the directory of an environment, its artifact, or a catalog (.json)
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
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
    /// What happens where Puppet 8 rejects what Puppet 7 accepts; `error` also implies --strict-variables
    #[arg(long, value_enum, default_value_t = Strictness::Warning, value_name = "LEVEL")]
    pub strict: Strictness,
    /// Whether an unknown variable is an error
    #[arg(long, value_name = "BOOLEAN", num_args = 0..=1, default_missing_value = "true")]
    pub strict_variables: Option<bool>,
    /// Print messages of manifests from this level on
    #[arg(long, value_enum, default_value_t = MessageLevel::Notice, value_name = "LEVEL")]
    pub log_level: MessageLevel,
    /// What compiles manifests
    #[arg(long, value_enum, default_value_t = Compiler::Native, value_name = "COMPILER")]
    pub compiler: Compiler,
    /// Directories of Puppet modules, separated by `:`; manifests find classes there, and files that resources copy from a
    /// module are read there
    #[arg(long, aliases = ["puppet-modulepath", "modulepath", "module-path"], value_name = "DIRS")]
    pub puppet_module_path: Option<OsString>,
    /// How to handle resources without a native equivalent
    #[arg(long, value_enum, default_value_t = PuppetFallback::Callback, value_name = "ACTION")]
    pub puppet_fallback: PuppetFallback,
    /// Interval at which resources that call Puppet are applied again, in seconds
    #[arg(long, default_value_t = 1800, value_name = "SECONDS")]
    pub puppet_interval: u32,
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
