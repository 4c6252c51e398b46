//! Templates: parsing and rendering.

use std::panic::catch_unwind;
use std::rc::Rc;

use lib_ruby_parser::{ErrorLevel, Parser, ParserOptions, ParserResult};

use crate::error::{Error, ErrorKind};
use crate::interpreter::{Budget, Interpreter};
use crate::lower::Lowering;
use crate::objects::Objects;
use crate::proc::Activation;
use crate::scope::Scope;
use crate::show::to_s;
use crate::stop::{FatalKind, Stop};
use crate::syntax::Node;
use crate::tags::{Ruby, to_ruby};
use crate::value::Value;

/// The longest program, in bytes: the code of the tags without literal text.
const MAX_PROGRAM: usize = 1 << 20;
/// Stack for taking a tree of Ruby's parser apart, per byte of the program: each byte can nest the tree one level deeper.
const STACK_PER_BYTE: usize = 512;
/// Stack that is always there for the parser.
const STACK: usize = 512 << 10;

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
        if ruby.text.len() > MAX_PROGRAM {
            let message = format!("the code of a template has at most {MAX_PROGRAM} bytes");
            return Err(Error::new(ErrorKind::Limit, message, None));
        }
        // A deep tree needs stack when it is dropped.
        let stack = STACK + ruby.text.len() * STACK_PER_BYTE;
        stacker::maybe_grow(stack, stack, || parse(&ruby))
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
            Ok(value) | Err(Stop::Return(0, value)) => vm.write_back().and_then(|()| vm.report()).map(|()| value),
            other => other,
        };
        // What a block has captured may contain the block.
        let activation = Rc::new(Activation { id: 0, block: None });
        vm.activation = activation;
        let env = Rc::clone(&vm.env);
        let steps = vm.steps;
        let text = match result {
            Ok(Value::Str(text)) => Ok(text.get().to_owned()),
            Ok(other) => Ok(to_s(&other)),
            Err(stop) => Err(error(stop)),
        };
        drop(vm);
        let values = std::mem::take(&mut *env.values.borrow_mut());
        drop(values);
        Ok(Rendered { text: text?, steps })
    }
}

/// Parses Ruby. The parser panics where its lexer or grammar gives what its authors took for impossible. No text is known with
/// which that happens, but a template must not end the process, whatever it is.
fn ruby_tree(text: &str) -> Result<ParserResult, Error> {
    let parse = || {
        let options = ParserOptions { buffer_name: String::new(), decoder: None, record_tokens: false };
        Parser::new(text.as_bytes(), options).do_parse()
    };
    catch_unwind(parse).map_err(|_| {
        Error::new(ErrorKind::Refused, "the parser of templates cannot read this Ruby, which may be valid", None)
    })
}

fn parse(ruby: &Ruby) -> Result<Template, Error> {
    let ParserResult { ast, diagnostics, .. } = ruby_tree(&ruby.text)?;
    if let Some(diagnostic) = diagnostics.iter().find(|diagnostic| diagnostic.level == ErrorLevel::Error) {
        let at = u32::try_from(ruby.template_offset(diagnostic.loc.begin)).ok();
        return Err(Error::new(ErrorKind::Syntax, syntax_message(&diagnostic.render_message()), at));
    }
    let Some(ast) = ast else {
        return Err(Error::new(ErrorKind::Syntax, "syntax error", None));
    };
    let mut lowering = Lowering::new(ruby);
    let (root, slots) = lowering.program(&ast)?;
    let refusals = lowering.refusals.iter().map(|(refusal, at)| (refusal.construct.to_string(), *at)).collect();
    Ok(Template { root, slots, literals: ruby.literals.as_slice().into(), refusals })
}

/// Makes the message of the parser one about the template.
fn syntax_message(message: &str) -> String {
    format!("syntax error, {}", message.strip_prefix("syntax error, ").unwrap_or(message))
}

/// Makes an error of what ended the template.
fn error(stop: Stop) -> Error {
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
        Stop::Throw(tag, _) => {
            Error::new(ErrorKind::Failure, format!("uncaught throw {}", crate::show::inspect(&tag)), None)
        }
        Stop::Break(..) => Error::new(ErrorKind::Failure, "break from proc-closure", None),
        Stop::Return(..) => Error::new(ErrorKind::Failure, "unexpected return", None),
        Stop::Next(_) | Stop::LoopBreak(_) | Stop::LoopNext => {
            Error::new(ErrorKind::Failure, "a jump out of a block that is not running", None)
        }
    }
}
