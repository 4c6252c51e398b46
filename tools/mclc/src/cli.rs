//! The command line, declared once: parsing, help and shell completions come from here.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, nearest};

/// The mcl compiler.
#[derive(Debug, Parser)]
#[command(name = "mclc", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours; NO_COLOR turns them off too
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check programs and report everything that is wrong with them
    Check(Check),
    /// Compile a program to an artifact for mgmt-rt
    Build(Build),
    /// Compile a program and run it with mgmt-rt
    Run(Run),
    /// Fetch the remote modules that a program imports, with git
    Get(Get),
    /// Show what is in an artifact of any stage
    Inspect(Inspect),
    /// Stage 1: source to tokens
    Lex(Stage),
    /// Stage 2: tokens to the syntax tree
    Parse(Stage),
    /// Stage 3: expand strings and nest classes
    Interpolate(Stage),
    /// Stage 4: resolve names and imports
    Scope(Stage),
    /// Stage 5: infer types
    Unify(Stage),
    /// Stage 6: make the function graph, which mgmt-rt runs
    Fgraph(Stage),
    /// Translate a Puppet catalog to a resource graph
    Puppet(Puppet),
    /// Explain a diagnostic code, with an example
    Explain(Explain),
    /// Show the documentation of functions and resource kinds
    Doc(Doc),
    /// Print a completion script for a shell
    Completions {
        #[arg(value_enum)]
        shell: Shell,
    },
}

/// `mclc check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Files, module directories (with a metadata.yaml or a main.mcl), or `-` for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub paths: Vec<PathBuf>,
    /// Check the hand-over to this Puppet catalog (.json, or manifests for an installed Puppet) as well
    #[arg(long, value_name = "PATH")]
    pub puppet: Option<PathBuf>,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
}

/// `mclc build`.
#[derive(Debug, Args)]
pub struct Build {
    /// A file, a module directory, or `-` for standard input
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// The artifact to write; `-` is standard output
    #[arg(short, long, value_name = "OUT.bin")]
    pub out: PathBuf,
    /// Also write the artifacts of these stages, to OUT.STAGE
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STAGE")]
    pub emit: Vec<Emit>,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
}

/// The stages whose artifacts can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    Tokens,
    Ast,
    Interpolated,
    Scoped,
    Typed,
    Fgraph,
}

impl From<Emit> for ArtifactStage {
    fn from(stage: Emit) -> ArtifactStage {
        match stage {
            Emit::Tokens => ArtifactStage::Tokens,
            Emit::Ast => ArtifactStage::Ast,
            Emit::Interpolated => ArtifactStage::Interpolated,
            Emit::Scoped => ArtifactStage::Scoped,
            Emit::Typed => ArtifactStage::Typed,
            Emit::Fgraph => ArtifactStage::Fgraph,
        }
    }
}

/// `mclc run`.
#[derive(Debug, Args)]
pub struct Run {
    /// A file, a module directory, or `-` for standard input
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
    /// Options for `mgmt-rt apply`, as in `mclc run site/ -- --noop --once`
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    pub rest: Vec<OsString>,
}

/// `mclc get`.
#[derive(Debug, Args)]
pub struct Get {
    /// A file, a module directory, or `-` for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// Pull the modules that are there already
    #[arg(long)]
    pub update: bool,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
}

/// One stage alone.
#[derive(Debug, Args)]
pub struct Stage {
    /// The artifact of the stage before, or source (a file, a module directory, `-`)
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The artifact to write; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
}

/// `mclc inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// An artifact of any stage
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = InspectFormat::Text, value_name = "FORM")]
    pub format: InspectFormat,
}

/// The forms of inspection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InspectFormat {
    /// For reading
    Text,
    /// Everything, as one object
    Json,
    /// The function graph, for graphviz
    Dot,
}

/// How a program is found.
#[derive(Clone, Debug, Args)]
pub struct Source {
    /// What to call standard input: its imports count from the directory of this file
    #[arg(long, value_name = "FILE")]
    pub filename: Option<PathBuf>,
    /// Where remote modules are found, besides the `path` of their importers' metadata.yaml
    #[arg(long, value_name = "DIR", env = "MGMT_MODULE_PATH")]
    pub module_path: Option<PathBuf>,
}

/// How diagnostics are reported.
#[derive(Clone, Debug, Args)]
pub struct Report {
    /// Form of the diagnostics
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORM")]
    pub format: Format,
    /// Report a lint as a warning (`all` for all of them)
    #[arg(short = 'W', long = "warn", value_name = "CODE", value_parser = lint)]
    pub warn: Vec<Lint>,
    /// Do not report a lint (`all` for all of them)
    #[arg(short = 'A', long = "allow", value_name = "CODE", value_parser = lint)]
    pub allow: Vec<Lint>,
    /// Report a lint as an error (`all` for all of them)
    #[arg(short = 'D', long = "deny", value_name = "CODE", value_parser = lint)]
    pub deny: Vec<Lint>,
}

/// The forms of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Excerpts of the source with the places marked
    Human,
    /// One line each: FILE:LINE:COLUMN: error[CODE]: MESSAGE
    Short,
    /// One JSON object a line
    Json,
    /// One SARIF 2.1.0 log
    Sarif,
}

impl From<Format> for mcl_diagnostics::Format {
    fn from(format: Format) -> mcl_diagnostics::Format {
        match format {
            Format::Human => mcl_diagnostics::Format::Human,
            Format::Short => mcl_diagnostics::Format::Short,
            Format::Json => mcl_diagnostics::Format::Json,
            Format::Sarif => mcl_diagnostics::Format::Sarif,
        }
    }
}

/// A lint on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lint {
    All,
    One(Code),
}

fn lint(name: &str) -> Result<Lint, String> {
    if name == "all" || name == "warnings" {
        return Ok(Lint::All);
    }
    let upper = name.to_uppercase();
    match Code::from_name(&upper) {
        Some(code) if upper.starts_with('W') => Ok(Lint::One(code)),
        Some(_) => Err(format!("`{upper}` is an error, not a lint: it cannot be switched")),
        None => {
            let lints = mcl_diagnostics::all_codes().map(Code::name).filter(|code| code.starts_with('W'));
            let hint = nearest(&upper, lints).map(|lint| format!("; did you mean `{lint}`?"));
            Err(format!("there is no lint `{name}`{}", hint.unwrap_or_default()))
        }
    }
}

/// `mclc explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The code, as in `error[E0301]`; without one all codes are listed
    pub code: Option<String>,
}

/// `mclc doc`.
#[derive(Debug, Args)]
pub struct Doc {
    /// A function (`strings.to_upper`), a module (`strings`) or a resource kind (`file`); without one all are listed
    pub name: Option<String>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = DocFormat::Text, value_name = "FORM")]
    pub format: DocFormat,
}

/// The forms of documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DocFormat {
    Text,
    Markdown,
    Json,
}

/// `mclc puppet`.
#[derive(Debug, Args)]
pub struct Puppet {
    /// A catalog (.json), or a manifest (.pp) or a directory of manifests for an installed Puppet to compile
    #[arg(value_name = "PATH")]
    pub path: PathBuf,
    /// Where the result goes; standard output without it
    #[arg(short, long, value_name = "FILE", required_unless_present = "emit")]
    pub output: Option<PathBuf>,
    /// Print an intermediate result instead of the artifact
    #[arg(long, value_enum, value_name = "WHAT")]
    pub emit: Option<PuppetEmit>,
    /// Form of an intermediate result
    #[arg(long = "format", value_enum, default_value_t = PuppetForm::Text, value_name = "FORM")]
    pub format: PuppetForm,
    /// The node to compile manifests for
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// Directories of modules, joined by `:`, for files that resources copy out of a module
    #[arg(long, value_name = "DIRS")]
    pub modulepath: Option<std::ffi::OsString>,
    /// What becomes of resources without a native form
    #[arg(long, value_enum, default_value_t = PuppetFallback::Callback, value_name = "WHAT")]
    pub puppet_fallback: PuppetFallback,
    /// How often resources that call Puppet are repeated, in seconds
    #[arg(long, default_value_t = 1800, value_name = "SECONDS")]
    pub puppet_interval: u32,
}

/// The intermediate results of `mclc puppet`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PuppetEmit {
    /// The catalog as it was read
    Catalog,
    /// The graph that Puppet's agent would traverse
    Relationships,
    /// The translated resource graph
    Graph,
}

/// The forms of an intermediate result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PuppetForm {
    Text,
    Json,
    Yaml,
    Dot,
}

/// What becomes of resources without a native form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PuppetFallback {
    /// They call an installed Puppet
    Callback,
    /// They are errors
    Error,
}
