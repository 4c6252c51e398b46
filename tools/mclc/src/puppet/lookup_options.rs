//! The command line of `mclc puppet lookup`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::format::Format;
use crate::puppet::common_options::{CodeOptions, MessageLevel, StrictnessOptions};

/// The arguments of `mclc puppet lookup`.
#[derive(Debug, Args)]
pub struct Lookup {
    /// The keys; the value of the first that has one is printed
    #[arg(value_name = "KEY", required = true)]
    pub keys: Vec<String>,
    /// The directory of the environment, or its artifact
    #[arg(long, value_name = "PATH", default_value = ".")]
    pub environment: PathBuf,
    /// The node to look up for [default: the one that the facts are of]
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// Facts in YAML or JSON; those of this machine that they lack are added, unless --node names another one [default: the
    /// facts of this machine]
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// Explain where the value was looked for, and found
    #[arg(long)]
    pub explain: bool,
    /// Explain which `lookup_options` apply
    #[arg(long)]
    pub explain_options: bool,
    /// How to merge the values of several levels, whatever the `lookup_options` say
    #[arg(long, value_enum, value_name = "STRATEGY")]
    pub merge: Option<MergeStrategy>,
    /// With `--merge deep`: elements that start with this remove those of lower levels
    #[arg(long, value_name = "PREFIX", allow_hyphen_values = true)]
    pub knock_out_prefix: Option<String>,
    /// With `--merge deep`: sort merged arrays
    #[arg(long)]
    pub sort_merged_arrays: bool,
    /// With `--merge deep`: merge the hashes in arrays by their positions
    #[arg(long)]
    pub merge_hash_arrays: bool,
    /// The data type that the value must have
    #[arg(long = "type", value_name = "TYPE")]
    pub value_type: Option<String>,
    /// The value if no key has one: a string
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub default: Option<String>,
    /// Output format [default: yaml; s for explanations]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub render_as: Option<RenderAs>,
    /// Compile the catalog of the node first, for the variables of its manifests
    #[arg(long)]
    pub compile: bool,
    #[command(flatten)]
    pub code: CodeOptions,
    #[command(flatten)]
    pub strictness: StrictnessOptions,
    /// Print messages of manifests, and warnings, from this level on
    #[arg(long, value_enum, default_value_t = MessageLevel::Warning, value_name = "LEVEL")]
    pub log_level: MessageLevel,
    /// Output format for diagnostics
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub diagnostics: Format,
}

/// The merge strategies of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MergeStrategy {
    /// The first value that is found
    First,
    /// The elements of all values, each once
    Unique,
    /// The entries of all hashes
    Hash,
    /// The entries of all hashes, recursively, and the elements of all arrays
    Deep,
}

/// The output formats of values and explanations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RenderAs {
    /// As a string
    S,
    Json,
    Yaml,
}
