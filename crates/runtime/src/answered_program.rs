//! The graphs of a program on a machine that a test describes: what `mclc test` compares.

use std::sync::Arc;

use function_engine::{Answers, Engine, Interpreter, Waiting};
use mcl_artifact::program::Program;
use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::{AutoEdgeHost, ResourceGraph};
use tempfile::TempDir;

/// A program that asks the machine nothing.
pub struct AnsweredProgram {
    engine: Engine,
    /// Where functions keep state; removed with the program.
    _scratch: TempDir,
}

impl AnsweredProgram {
    /// Prepares a program for the machine that the answers describe.
    ///
    /// # Errors
    /// R0104 or R0108 for what the program needs and does not get, R0410 without a temporary directory.
    pub fn new(program: &Arc<Program>, answers: Answers) -> Result<AnsweredProgram, Diagnostic> {
        let scratch = tempfile::Builder::new().prefix("mgmt-rt-").tempdir().map_err(|error| {
            let message = format!("cannot create a temporary directory: {error}");
            Diagnostic::error(Code::R0410, Stage::Engine, message)
        })?;
        let engine = Engine::with_answers(Arc::clone(program), answers, scratch.path().to_owned())?;
        Ok(AnsweredProgram { engine, _scratch: scratch })
    }

    /// Lets the machine change to what these answers describe.
    pub fn change(&mut self, answers: Answers) {
        self.engine.set_answers(answers);
    }

    /// Returns the current resource graph, without automatic edges.
    ///
    /// # Errors
    /// The program failed, or one of its resources or edges is invalid.
    pub fn graph(&mut self) -> Result<ResourceGraph, Vec<Diagnostic>> {
        if self.engine.run()?.waiting {
            return Err(self.engine.waiting_for().iter().map(Waiting::error).collect());
        }
        Interpreter::new().interpret(&self.engine)
    }
}

/// Returns what automatic edges depend on, for the machine that the answers describe: its packages and accounts are unknown.
#[must_use]
pub fn answered_host(answers: &Answers) -> AutoEdgeHost<'static> {
    let home = answers.environment.get("HOME").cloned().flatten();
    AutoEdgeHost { home, package_files: None, primary_groups: None }
}
