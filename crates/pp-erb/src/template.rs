//! Templates: parsing and rendering.

use std::rc::Rc;

use pp_ruby_syntax::{SyntaxError, Tree, on_large_stack};

use crate::error::{Error, ErrorKind};
use crate::interpreter::Interpreter;
use crate::lower::Lowering;
use crate::objects::Objects;
use crate::proc::Activation;
use crate::scope::Scope;
use crate::show::to_s;
use crate::stop::{FatalKind, Stop};
use crate::syntax::Node;
use crate::tags::{Ruby, to_ruby};
use crate::value::Value;
use crate::work::{Budget, Work};

/// The longest program, in bytes: the code of the tags without literal text.
const MAX_PROGRAM: usize = 1 << 20;

/// A template, ready to be rendered any number of times.
#[derive(Debug)]
pub struct Template {
    root: Node,
    slots: u32,
    literals: Rc<[String]>,
    refusals: Vec<(String, u32)>,
}

/// What rendering gives.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// Evaluated expressions and visited elements.
    pub steps: u64,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// Code that is not Ruby, or that is nested too deeply.
    pub fn parse(text: &str) -> Result<Template, Error> {
        let ruby = to_ruby(text);
        on_large_stack(ruby.text.len().min(MAX_PROGRAM), || parse(&ruby))
    }

    /// Returns what the template has that is an error when it is reached, with offsets.
    #[must_use]
    pub fn refusals(&self) -> &[(String, u32)] {
        &self.refusals
    }

    /// Renders the template. Templates that functions render meanwhile get the same `objects`.
    ///
    /// # Errors
    /// An exception that the template does not handle, Ruby that templates must not use, a budget that is used up.
    pub fn render(&self, scope: &mut dyn Scope, objects: &Objects, budget: Budget) -> Result<Rendered, Error> {
        let mut vm = Interpreter::new(scope, objects, Rc::clone(&self.literals), self.slots, budget);
        let result = vm.eval(&self.root);
        let result = match result {
            Err(Stop::Return(jump)) if jump.0 == 0 => Ok(jump.1),
            other => other,
        };
        let result = match result {
            Ok(value) => vm.write_back().and_then(|()| vm.report()).map(|()| value),
            other => other,
        };
        // What a block has captured may contain the block.
        let activation = Rc::new(Activation { id: 0, block: None });
        vm.activation = activation;
        let env = Rc::clone(&vm.env);
        let steps = vm.work.steps();
        let text = match result {
            Ok(Value::Str(text)) => Ok(text.get().to_owned()),
            Ok(other) => Ok(to_s(&vm.work, &other)),
            Err(stop) => Err(error(&vm.work, stop)),
        };
        drop(vm);
        let values = std::mem::take(&mut *env.values.borrow_mut());
        drop(values);
        Ok(Rendered { text: text?, steps })
    }
}

fn parse(ruby: &Ruby) -> Result<Template, Error> {
    let tree = Tree::parse(ruby.text.as_bytes(), MAX_PROGRAM).map_err(|error| match error {
        SyntaxError::TooLarge => {
            let message = format!(
                "the code of a template has at most {MAX_PROGRAM} bytes, and at most a few thousand logical operators"
            );
            Error::new(ErrorKind::Limit, message, None)
        }
        SyntaxError::Invalid { message, offset, .. } => {
            let at = u32::try_from(ruby.template_offset(offset)).ok();
            Error::new(ErrorKind::Syntax, syntax_message(&message), at)
        }
        SyntaxError::Unreadable => {
            let message = "the parser of templates cannot read this Ruby, which may be valid";
            Error::new(ErrorKind::Refused, message, None)
        }
    })?;
    let Some(ast) = tree.root() else {
        return Err(Error::new(ErrorKind::Syntax, "syntax error", None));
    };
    let mut lowering = Lowering::new(ruby);
    let (root, slots) = lowering.program(ast)?;
    let refusals = lowering.refusals.iter().map(|(refusal, at)| (refusal.construct.to_string(), *at)).collect();
    Ok(Template { root, slots, literals: ruby.literals.as_slice().into(), refusals })
}

/// Makes the message of the parser one about the template.
fn syntax_message(message: &str) -> String {
    format!("syntax error, {}", message.strip_prefix("syntax error, ").unwrap_or(message))
}

/// Makes an error of what ended the template.
fn error(work: &Work, stop: Stop) -> Error {
    match stop {
        Stop::Raise(raise) => {
            let mut error = Error::new(ErrorKind::Failure, raise.message, raise.at);
            error.help = raise.help;
            error.puppet = raise.puppet;
            error
        }
        Stop::Fatal(fatal) => {
            let kind = match fatal.kind {
                FatalKind::Refused => ErrorKind::Refused,
                FatalKind::Limit => ErrorKind::Limit,
            };
            Error::new(kind, fatal.message, fatal.at)
        }
        Stop::Throw(thrown) => {
            Error::new(ErrorKind::Failure, format!("uncaught throw {}", crate::show::inspect(work, &thrown.0)), None)
        }
        Stop::Break(..) => Error::new(ErrorKind::Failure, "break from proc-closure", None),
        Stop::Return(..) => Error::new(ErrorKind::Failure, "unexpected return", None),
        Stop::Next(_) | Stop::LoopBreak(_) | Stop::LoopNext => {
            Error::new(ErrorKind::Failure, "a jump out of a block that is not running", None)
        }
    }
}
