//! The command line, declared once: parsing, help and shell completions come from here.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use mcl_artifact::ArtifactStage;

use command_line::{Deferred, Tool, VERSION};

use crate::completions;
use crate::format::Format;
use crate::lines::Lines;
use crate::lint_names::Lint;
use crate::puppet::PuppetCommand;

/// What the command line has in common with that of `mgmt-rt`.
pub const TOOL: Tool = Tool {
    name: "mclc",
    completion_variable: "MCLC_COMPLETE",
    facts: &[
        ("artifact format", || mcl_artifact::FORMAT_VERSION.to_string()),
        ("language", || format!("mcl of mgmt {MGMT_RELEASE}")),
    ],
    advice,
};

/// Helps those who write `mclc puppet apply site.pp`, as they do with Puppet itself.
fn advice(error: &clap::Error) -> Option<&'static str> {
    let is_of_puppet =
        error.kind() == ErrorKind::ArgumentConflict && error.get(ContextKind::InvalidSubcommand).is_some();
    is_of_puppet.then_some("a manifest is compiled without a subcommand: `mclc puppet PATH --output FILE`")
}

/// The release of mgmt whose language is compiled.
const MGMT_RELEASE: &str = "1.1";

/// Compiler for mcl, the configuration language of mgmt, and for Puppet manifests
#[derive(Debug, Parser)]
#[command(name = "mclc", version = VERSION, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colors; NO_COLOR disables them as well
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub color: Color,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

/// The subcommands, in the order of the help text.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a directory with a first module and its test
    New(Deferred<New>),
    /// Make a first module and its test in an existing directory
    Init(Deferred<Init>),
    /// Check programs and report all errors and warnings
    Check(Deferred<Check>),
    /// Write programs in their one layout
    Fmt(Deferred<Fmt>),
    /// Compile a program to an artifact that mgmt-rt runs
    Build(Deferred<Build>),
    /// Compile a program and apply it with mgmt-rt
    Run(Deferred<Run>),
    /// Compare the resource graphs of a module's tests with the expected ones
    Test(Deferred<Test>),
    /// Download the remote modules that a program imports, with git
    Get(Deferred<Get>),
    /// Show the content of an artifact of any stage
    Inspect(Deferred<Inspect>),
    /// Stage 1: split the source into tokens
    Lex(Deferred<Stage>),
    /// Stage 2: parse the tokens to a syntax tree
    Parse(Deferred<Stage>),
    /// Stage 3: expand interpolated strings and nested classes
    Interpolate(Deferred<Stage>),
    /// Stage 4: resolve names
    Scope(Deferred<Stage>),
    /// Stage 5: infer types
    Unify(Deferred<Stage>),
    /// Stage 6: generate the function graph, which mgmt-rt runs
    Fgraph(Deferred<Stage>),
    /// Compile Puppet manifests, or translate a Puppet catalog, for mgmt-rt to apply; look data up
    Puppet(Deferred<PuppetCommand>),
    /// Serve an editor: the Language Server Protocol on standard input and output
    Lsp(Deferred<Lsp>),
    /// Explain a diagnostic code, with examples
    Explain(Deferred<Explain>),
    /// Show the documentation of functions and resource kinds
    Doc(Deferred<Doc>),
    /// Print the completion script for a shell
    Completions {
        /// The shell to complete commands in
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write the manual pages to a directory, for packages
    #[command(hide = true)]
    ManPages {
        /// The directory, which must exist
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// The arguments of `mclc new`.
#[derive(Debug, Args)]
pub struct New {
    /// The directory, whose name is that of the module
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub directory: PathBuf,
}

/// The arguments of `mclc init`.
#[derive(Debug, Args)]
pub struct Init {
    /// The directory, in which nothing is overwritten
    #[arg(value_name = "DIR", default_value = ".", value_hint = clap::ValueHint::DirPath)]
    pub directory: PathBuf,
}

/// The arguments of `mclc check`.
#[derive(Debug, Args)]
pub struct Check {
    /// Files, which are checked as part of their modules; module directories (with a metadata.yaml or a main.mcl); other
    /// directories, for all programs below; `-` for standard input; Puppet manifests, templates and directories of them
    #[arg(value_name = "PATH", default_value = ".", add = completions::sources())]
    pub paths: Vec<PathBuf>,
    /// Also check the merge points with this Puppet catalog (.json, or manifests)
    #[arg(long, value_name = "PATH", add = completions::manifests())]
    pub puppet: Option<PathBuf>,
    /// Directories of Puppet modules, separated by `:`, where the manifests of --puppet find classes
    #[arg(long, alias = "puppet-modulepath", value_name = "DIRS")]
    pub puppet_module_path: Option<OsString>,
    /// The `hiera.yaml` of all environments, for the manifests of --puppet
    #[arg(long, value_name = "FILE")]
    pub hiera_config: Option<PathBuf>,
    /// Check again whenever a file changes, until interrupted
    #[arg(long, conflicts_with_all = ["fix", "unsafe_fixes", "diff"])]
    pub watch: bool,
    /// Apply what the findings suggest where a program then means the same, and check again
    #[arg(long)]
    pub fix: bool,
    /// Apply guesses and what changes the program, too, such as removing an unused variable
    #[arg(long)]
    pub unsafe_fixes: bool,
    /// Print what --fix would change, as a unified diff, and change nothing
    #[arg(long)]
    pub diff: bool,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
}

/// The arguments of `mclc fmt`.
#[derive(Debug, Args)]
pub struct Fmt {
    /// Files, directories (all `.mcl` files below, without hidden directories and what `.gitignore` names), or `-` for
    /// standard input
    #[arg(value_name = "PATH", default_value = ".", add = completions::programs())]
    pub paths: Vec<PathBuf>,
    /// Change nothing, list what would change, and exit with 1 if something would
    #[arg(long)]
    pub check: bool,
    /// Change nothing, and show what would change as a unified diff
    #[arg(long)]
    pub diff: bool,
    /// Name standard input in messages
    #[arg(long, value_name = "FILE")]
    pub filename: Option<PathBuf>,
    /// Format only the statements or entries of these lines, counted from 1
    #[arg(long, value_name = "FIRST:LAST")]
    pub range: Option<Lines>,
}

/// The arguments of `mclc build`.
#[derive(Debug, Args)]
pub struct Build {
    /// A file, a module directory, or `-` for standard input
    #[arg(value_name = "PATH", add = completions::programs())]
    pub path: PathBuf,
    /// The artifact to write, or `-` for standard output
    #[arg(short, long, alias = "out", value_name = "OUT.bin", add = completions::artifacts())]
    pub output: PathBuf,
    /// Also write the artifacts of these stages, to OUT.STAGE; separated by commas
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STAGE")]
    pub emit: Vec<Emit>,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
}

/// The stages whose artifacts can be written, in the order of the pipeline.
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

/// The arguments of `mclc run`.
#[derive(Debug, Args)]
pub struct Run {
    /// A file, a module directory, or `-` for standard input
    #[arg(value_name = "PATH", add = completions::programs())]
    pub path: PathBuf,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
    /// Options for `mgmt-rt apply`, e.g. `mclc run site/ -- --noop --once`
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    pub rest: Vec<OsString>,
}

/// The arguments of `mclc test`.
#[derive(Debug, Args)]
pub struct Test {
    /// Tests, or directories: all `.mcl` files below their directories `tests`, without modules in these
    #[arg(value_name = "PATH", default_value = ".", add = completions::programs())]
    pub paths: Vec<PathBuf>,
    /// Write what the tests give as what is expected from now on
    #[arg(long)]
    pub bless: bool,
    /// Run only the tests whose paths contain this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = TestFormat::Human, value_name = "FORMAT")]
    pub format: TestFormat,
    /// Directory of remote modules, searched after the `path` of the importing modules' metadata.yaml
    #[arg(long, alias = "modulepath", value_name = "DIR", env = "MGMT_MODULE_PATH")]
    pub module_path: Option<PathBuf>,
}

/// The output formats of `mclc test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// A line for each test, and the differences
    Human,
    /// The Test Anything Protocol
    Tap,
    /// The XML of JUnit, which most CI systems read
    Junit,
    /// A JSON object
    Json,
}

/// The arguments of `mclc get`.
#[derive(Debug, Args)]
pub struct Get {
    /// A file, a module directory, or `-` for standard input
    #[arg(value_name = "PATH", default_value = ".", add = completions::programs())]
    pub path: PathBuf,
    /// Update the modules that have already been downloaded
    #[arg(long)]
    pub update: bool,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
}

/// The arguments of the commands that run a single stage.
#[derive(Debug, Args)]
pub struct Stage {
    /// The artifact of the preceding stage, or a program (a file, a module directory, or `-` for standard input)
    #[arg(value_name = "INPUT", add = completions::stage_inputs())]
    pub input: PathBuf,
    /// The artifact to write, or `-` for standard output
    #[arg(short, long, alias = "out", value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub source: Source,
    #[command(flatten)]
    pub report: Report,
}

/// The arguments of `mclc inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// An artifact of any stage
    #[arg(value_name = "FILE", add = completions::artifacts())]
    pub file: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = InspectFormat::Text, value_name = "FORMAT")]
    pub format: InspectFormat,
}

/// The output formats of `mclc inspect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InspectFormat {
    /// A readable summary
    Text,
    /// The whole content as a single JSON object
    Json,
    /// The function graph for Graphviz
    Dot,
}

/// Options for locating the files of a program.
#[derive(Clone, Debug, Args)]
pub struct Source {
    /// Treat standard input as this file: imports resolve relative to its directory, and `check` takes `.pp` and `.epp` for
    /// Puppet
    #[arg(long, value_name = "FILE")]
    pub filename: Option<PathBuf>,
    /// Directory of remote modules, searched after the `path` of the importing modules' metadata.yaml
    #[arg(long, alias = "modulepath", value_name = "DIR", env = "MGMT_MODULE_PATH")]
    pub module_path: Option<PathBuf>,
}

/// Options for reporting diagnostics.
#[derive(Clone, Debug, Default, Args)]
pub struct Report {
    /// Output format for diagnostics
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub format: Format,
    /// Report a lint as a warning: a code (`W0101`), the start of codes (`W01`), `pedantic` for those that are off by default,
    /// `all`, or for Puppet manifests a name of `puppet-lint`
    #[arg(short = 'W', long = "warn", value_name = "LINT", add = completions::lints())]
    pub warn: Vec<Lint>,
    /// Do not report a lint
    #[arg(short = 'A', long = "allow", value_name = "LINT", add = completions::lints())]
    pub allow: Vec<Lint>,
    /// Report a lint as an error; `warnings` for all that are warnings
    #[arg(short = 'D', long = "deny", value_name = "LINT", add = completions::lints())]
    pub deny: Vec<Lint>,
}

/// The arguments of `mclc lsp`.
#[derive(Debug, Args)]
pub struct Lsp {
    /// Directory of remote modules, searched after the `path` of the importing modules' metadata.yaml
    #[arg(long, alias = "modulepath", value_name = "DIR", env = "MGMT_MODULE_PATH")]
    pub module_path: Option<PathBuf>,
    /// Accepted for editors that pass it: the server speaks on standard input and output anyway
    #[arg(long)]
    pub stdio: bool,
}

/// The arguments of `mclc explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The code, e.g. E0301, the name of a lint of Puppet manifests, e.g. trailing_comma, or a word that is looked for in titles and
    /// explanations [default: list all codes]
    #[arg(add = completions::codes())]
    pub code: Option<String>,
}

/// The arguments of `mclc doc`.
#[derive(Debug, Args)]
pub struct Doc {
    /// A function (`strings.to_upper`), a module (`strings`), a resource kind (`file`), `meta` for the meta parameters, any
    /// part of a name, also of a parameter or constant, or the path of a program or module of yours (`./lib/`, `lib.mcl`) [default: list all functions and kinds]
    #[arg(add = completions::documented())]
    pub name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = DocFormat::Text, value_name = "FORMAT")]
    pub format: DocFormat,
    /// Write pages about all functions and kinds to a directory: static, with a search, without the network
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "format"])]
    pub html: Option<PathBuf>,
}

/// The output formats of `mclc doc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DocFormat {
    Text,
    Markdown,
    Json,
}
