//! The command line of `mclc puppet`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::format::Format;
use crate::puppet::common_options::{CodeOptions, MessageLevel, StrictnessOptions};
use crate::puppet::lookup_options::Lookup;

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

/// The arguments of the compiler.
#[derive(Debug, Args)]
pub struct Puppet {
    /// A manifest (.pp), `-` for one on standard input, a directory of manifests, the directory of an environment, its
    /// artifact, or a catalog (.json)
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
