//! What a test gives: the resource graphs of its program, which `mgmt-rt` evaluates, or errors.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcl_artifact::ArtifactStage;
use mcl_diagnostics::{Code, Diagnostic, Files, Format, Program, Severity, Style, counts, render};
use mcl_modules::{Input, InputError, LoadError, Options};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

use crate::output::reason;
use crate::run::runtime;
use crate::test::header::{Header, State};

/// What a test gives.
pub enum Outcome {
    Graphs(Vec<Graph>),
    Errors(Errors),
}

/// The resource graph of one state of the machine.
#[derive(Deserialize)]
pub struct Graph {
    /// The graph, sorted.
    pub text: String,
    /// Where the resources are declared, relative to the program.
    pub locations: BTreeMap<String, String>,
}

/// Why there is no graph.
pub struct Errors {
    /// The number of the step after which there is none; 0 for the first state.
    pub step: usize,
    pub files: Files,
    pub diagnostics: Vec<Diagnostic>,
}

/// What `mgmt-rt` prints for a state.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Printed {
    Graph(Graph),
    Errors(Vec<Diagnostic>),
}

/// Why a test cannot be run at all.
pub enum EvaluateError {
    Input(InputError),
    Scratch(io::Error),
    /// `mgmt-rt` cannot be started.
    Start {
        runtime: OsString,
        error: io::Error,
    },
    /// `mgmt-rt` ended without a result; what it printed.
    Failed(String),
}

impl fmt::Display for EvaluateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluateError::Input(error) => error.fmt(f),
            EvaluateError::Scratch(error) => write!(f, "cannot use a temporary directory: {}", reason(error)),
            EvaluateError::Start { runtime, error } => write!(
                f,
                "cannot start `{}`, which evaluates tests: {}; install it beside `mclc` or in `PATH`",
                runtime.to_string_lossy(),
                reason(error)
            ),
            EvaluateError::Failed(text) => write!(f, "`mgmt-rt` failed: {}", text.trim_end()),
        }
    }
}

/// Compiles the program of a test and returns what `mgmt-rt` makes of it.
///
/// # Errors
/// The program cannot be read, or `mgmt-rt` cannot be run.
pub fn evaluate(test: &Path, header: &Header, module_path: Option<&Path>) -> Result<Outcome, EvaluateError> {
    let program = program_of(test, header);
    let input = Input::from_path(&program).map_err(EvaluateError::Input)?;
    let options = Options {
        module_path: module_path.map(Path::to_owned),
        is_native: Some(mcl_functions::module_exists),
        deploy: true,
        ..Options::default()
    };
    let loaded = match mcl_modules::load(&input, &options) {
        Ok(loaded) => loaded,
        Err(LoadError::Input(error)) => return Err(EvaluateError::Input(error)),
        Err(LoadError::Invalid { files, diagnostics, .. }) => return Ok(errors(0, files, diagnostics)),
    };
    let (files, lints) = (loaded.files.clone(), loaded.lints.clone());
    let mut compiled = mcl_driver::compile(loaded, &[ArtifactStage::Fgraph], || {});
    mcl_driver::finish_diagnostics(
        &files,
        &mut compiled.diagnostics,
        crate::levels::of(&crate::cli::Report::default(), &lints),
    );
    match compiled.artifacts.pop() {
        Some((_, bytes)) if counts(&compiled.diagnostics).0 == 0 => graphs(test, header, &bytes, files),
        _ => Ok(errors(0, files, compiled.diagnostics)),
    }
}

/// Returns the program that is tested.
pub fn program_of(test: &Path, header: &Header) -> PathBuf {
    match &header.program {
        Some(program) => beside(test, program),
        None => test.to_owned(),
    }
}

/// Returns a path that a test names relative to itself.
fn beside(test: &Path, path: &str) -> PathBuf {
    let directory = test.parent().unwrap_or(Path::new(""));
    path_clean::clean(directory.join(path))
}

fn errors(step: usize, files: Files, mut diagnostics: Vec<Diagnostic>) -> Outcome {
    diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
    mcl_diagnostics::sort(&mut diagnostics);
    Outcome::Errors(Errors { step, files, diagnostics })
}

impl Errors {
    /// Whether the test does not say what the program asks for.
    pub fn is_incomplete(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::R0108)
    }

    /// Returns what is expected: one line for each error, with names relative to the program.
    pub fn text(&self) -> String {
        let program = Program { files: &self.files, prefix: "", diagnostics: &self.diagnostics };
        let lines = render(&[program], Format::Short, Style::default());
        if self.step == 0 { lines } else { step_title(self.step) + &lines }
    }
}

fn graphs(test: &Path, header: &Header, artifact: &[u8], files: Files) -> Result<Outcome, EvaluateError> {
    let scratch = tempfile::Builder::new().prefix("mclc-test-").tempdir().map_err(EvaluateError::Scratch)?;
    let write = |name: &str, bytes: &[u8]| -> Result<PathBuf, EvaluateError> {
        let path = scratch.path().join(name);
        std::fs::write(&path, bytes).map_err(EvaluateError::Scratch)?;
        Ok(path)
    };
    let artifact = write("program.bin", artifact)?;
    let mut states = Vec::new();
    for (i, state) in header.states.iter().enumerate() {
        let facts = match header.puppet {
            Some(_) => {
                let facts = facts(test, header, state)?;
                Some(write(&format!("facts{i}.json"), facts.to_string().as_bytes())?)
            }
            None => None,
        };
        states.push(json!({"answers": state.answers, "facts": facts}));
    }
    let answers = write("answers.json", json!({"states": states}).to_string().as_bytes())?;
    let mut command = command(&scratch);
    command.arg("graph").arg(&artifact).arg("--answers").arg(&answers);
    if let Some(puppet) = &header.puppet {
        let node = header.states.first().and_then(|state| state.answers.hostname.as_deref()).unwrap_or("test");
        command.arg("--puppet").arg(absolute(&beside(test, puppet))).args(["--node", node]);
        command.args(["--puppet-fallback", "callback"]);
    }
    if let Some(modules) = &header.modules {
        command.arg("--puppet-module-path").arg(absolute(&beside(test, modules)));
    }
    let output =
        command.output().map_err(|error| EvaluateError::Start { runtime: command.get_program().to_owned(), error })?;
    if !output.status.success() {
        return Err(EvaluateError::Failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    read(&String::from_utf8_lossy(&output.stdout), files)
}

/// Returns the command that evaluates, which gets nothing of this machine.
fn command(scratch: &TempDir) -> Command {
    let mut command = Command::new(runtime());
    command.env_clear().env("TZ", "UTC").env("LC_ALL", "C.UTF-8").env("TMPDIR", scratch.path());
    // Without this, `mgmt-rt` would not be found in PATH.
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.current_dir(scratch.path()).stdin(Stdio::null());
    command
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns the facts of a state: those of the file, those of the comments, and the host name.
fn facts(test: &Path, header: &Header, state: &State) -> Result<Json, EvaluateError> {
    let mut facts = match &header.facts {
        None => Map::new(),
        Some(file) => {
            let path = beside(test, file);
            let unusable = |why: String| EvaluateError::Failed(format!("cannot use facts `{}`: {why}", path.display()));
            let bytes = std::fs::read(&path).map_err(|error| unusable(reason(&error)))?;
            // JSON is YAML.
            serde_norway::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?
        }
    };
    if let Some(hostname) = &state.answers.hostname {
        let short = hostname.split('.').next().unwrap_or(hostname);
        merge(&mut facts, &json!({"networking": {"hostname": short, "fqdn": hostname}}));
        merge(&mut facts, &json!({"hostname": short, "fqdn": hostname}));
    }
    merge(&mut facts, &Json::Object(state.facts.clone()));
    Ok(Json::Object(facts))
}

/// Adds values, those inside of maps one by one.
fn merge(into: &mut Map<String, Json>, more: &Json) {
    for (name, value) in more.as_object().into_iter().flatten() {
        match (into.get_mut(name), value) {
            (Some(Json::Object(inner)), Json::Object(_)) => merge(inner, value),
            _ => drop(into.insert(name.clone(), value.clone())),
        }
    }
}

fn read(printed: &str, files: Files) -> Result<Outcome, EvaluateError> {
    let mut graphs = Vec::new();
    for line in printed.lines() {
        match serde_json::from_str(line) {
            Ok(Printed::Graph(graph)) => graphs.push(graph),
            Ok(Printed::Errors(diagnostics)) => return Ok(errors(graphs.len(), files, diagnostics)),
            Err(error) => return Err(EvaluateError::Failed(format!("unexpected output: {error}"))),
        }
    }
    Ok(Outcome::Graphs(graphs))
}

/// Returns the line before what the machine's state after a step gives.
pub fn step_title(step: usize) -> String {
    format!("# step {step}\n")
}
