//! Functions of the machine whose values a test gives (spec 11 §6).
//!
//! They are nodes without a stream: they ask nobody, watch nothing, and are evaluated again when other answers are given, if
//! their values can change while a program runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mcl_artifact::program::{Constant, FunctionIdx, Program};
use mcl_diagnostics::Diagnostic;
use mcl_functions::{Answers, FunctionError, Implementation, Origin};
use mcl_value::Value;

use crate::engine::Engine;
use crate::environment::Environment;
use crate::events::Waker;
use crate::failure::unanswered;
use crate::ids::NodeId;
use crate::node::{NodeKind, State};

impl Engine {
    /// Creates an engine whose functions of the machine have the values that a test gives. The others keep state in a directory.
    /// No time passes.
    ///
    /// # Errors
    /// R0104 if the program needs a function that this runtime does not have, R0108 if it needs a host name and none is given.
    pub fn with_answers(program: Arc<Program>, answers: Answers, state_dir: PathBuf) -> Result<Engine, Diagnostic> {
        let needs_hostname = program.constants.values().any(|constant| matches!(constant, Constant::Hostname));
        if answers.hostname.is_none()
            && needs_hostname
            && let FunctionError::Unanswered { message, directive } = Answers::no_hostname()
        {
            return Err(unanswered(message, &directive));
        }
        let environment = AnsweredEnvironment { hostname: answers.hostname.clone().unwrap_or_default(), state_dir };
        let mut engine = Engine::new(program, Box::new(environment))?;
        engine.answers = Some(Arc::new(answers));
        Ok(engine)
    }

    /// Replaces the answers. The next round evaluates the functions again whose values can change while a program runs.
    pub fn set_answers(&mut self, answers: Answers) {
        self.answers = Some(Arc::new(answers));
        for (id, node) in self.nodes.iter() {
            let NodeKind::Answered(function) = node.kind else { continue };
            if matches!(self.code.functions[function].function.implementation, Implementation::Streaming(_)) {
                Waker { node: id, events: Arc::clone(&self.events) }.wake();
            }
        }
    }

    pub(crate) fn is_answered(&self, function: FunctionIdx) -> bool {
        self.answers.is_some() && self.code.functions[function].function.origin == Origin::Machine
    }

    pub(crate) fn answer(&self, id: NodeId, function: FunctionIdx, arguments: &[Value]) -> State {
        let Some(answers) = &self.answers else { return self.engine_failure(id, "there are no answers") };
        let import = &self.code.functions[function];
        self.result(id, function, answers.call(import.function.name, &import.ty, arguments))
    }
}

/// The environment of a program that is tested: nothing changes by itself.
struct AnsweredEnvironment {
    hostname: String,
    state_dir: PathBuf,
}

impl Environment for AnsweredEnvironment {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn hostname(&self) -> &str {
        &self.hostname
    }

    fn state_dir(&self) -> &Path {
        &self.state_dir
    }
}
