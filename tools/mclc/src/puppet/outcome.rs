//! What a command yields.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mcl_diagnostics::{Code, Diagnostic, Files, Stage};
use pp_environment::EnvironmentError;

/// What a command yields: an output or errors, and what it has to report.
#[derive(Default)]
pub struct Outcome {
    pub output: Option<Output>,
    pub files: Files,
    pub prefix: String,
    pub log: Vec<pp_evaluator::LogEntry>,
    pub diagnostics: Vec<Diagnostic>,
    pub modules: Modules,
}

/// Where resources find the files of modules.
#[derive(Default)]
pub struct Modules {
    pub path: Vec<PathBuf>,
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The output of the command.
pub struct Output {
    pub bytes: Vec<u8>,
    /// The number of resources by how they were translated.
    pub summary: Option<String>,
    /// The output contains sensitive values.
    pub secret: bool,
}

impl Outcome {
    pub fn failed(diagnostics: Vec<Diagnostic>) -> Outcome {
        Outcome { diagnostics, ..Outcome::default() }
    }

    pub fn unreadable(error: &EnvironmentError) -> Outcome {
        Outcome::failed(vec![error.diagnostic()])
    }
}

/// Returns the error about a format that a result does not have.
pub fn unsupported_format(result: &str, format: &str, supported: &str) -> Vec<Diagnostic> {
    let message = format!("`{result}` cannot be written as {format}");
    vec![Diagnostic::error(Code::P0110, Stage::Puppet, message).help(format!("choose {supported}"))]
}
