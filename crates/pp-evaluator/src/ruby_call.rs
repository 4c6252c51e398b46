//! Templates and functions that an installed Ruby evaluates, with `--ruby-fallback` (spec 07 §5.12).

use std::cell::RefCell;
use std::sync::Arc;

use mcl_diagnostics::{Code, FileId, SourceFile, Span};
use pp_functions::{Block, Host, Interrupt, LogLevel};
use pp_types::{Error, ErrorKind, Signature, Type, Value, describe_signatures};

use crate::evaluator::Evaluator;
use crate::ruby::{RubyFailure, RubyHost, RubySource};
use crate::services::RubyFunction;
use crate::stop::{Eval, Stop, located, unlocated};

impl Evaluator<'_> {
    /// Whether there is a Ruby to fall back to.
    pub(crate) fn has_ruby(&self) -> bool {
        self.services.ruby().is_some()
    }

    /// Renders a template with the installed Ruby; returns what it says of an error, with its line. It gets the variables whose
    /// names are in the template.
    pub(crate) fn render_with_ruby(&mut self, file: &str, text: &str) -> Result<Value, RubyFailure> {
        let Some(ruby) = self.services.ruby() else { return Err(RubyFailure::Helper("there is no Ruby".to_owned())) };
        let names_all = text.contains("instance_variable") || text.contains("binding");
        let mut variables = self.visible_variables();
        if !names_all {
            variables.retain(|(name, _)| mentions(text, name));
        }
        let source = RubySource { name: file, file, text };
        ruby.render(source, &variables, &mut RubyScope { evaluator: self, arguments: &[], block: None, function: file })
    }

    /// Calls a function of a module with the installed Ruby.
    pub(crate) fn call_ruby(
        &mut self,
        name: &str,
        function: &RubyFunction,
        arguments: &[Value],
        block: Option<&Block>,
        span: Option<Span>,
    ) -> Eval {
        let Some(ruby) = self.services.ruby() else { return Err(self.refused_function(name, function, arguments)) };
        let text = self.services.ruby_source(function).map_err(unlocated)?;
        let file = format!("{}/{}", function.module, function.path);
        let source = RubySource { name, file: &file, text: &text };
        self.spend(1_000, text.len() as u64).map_err(unlocated)?;
        let outer = std::mem::replace(&mut self.call_span, span);
        let result = self.nested(span, |this| {
            let mut scope = RubyScope { evaluator: this, arguments, block, function: name };
            let result = ruby.call(source, arguments, block.is_some(), &mut scope);
            result.map_err(|failure| this.function_failure(name, &file, &text, failure))
        });
        self.call_span = outer;
        result.map_err(|stop| located(stop, span))
    }

    /// Makes an error of the failure of a function.
    fn function_failure(&mut self, name: &str, file: &str, text: &str, failure: RubyFailure) -> Stop {
        match failure {
            RubyFailure::Passed(error) => self.stop(Interrupt::from(error)),
            RubyFailure::Helper(why) => helper_failure(&format!("The function '{name}' ({file}) failed"), &why),
            RubyFailure::Raised { class, message, line } => {
                let mut error = Error::new(ErrorKind::Evaluation, message);
                if let Some(missing) = missing_library(&class, &error.message) {
                    error = error.help(missing);
                }
                let stop = unlocated(error);
                let Some(line) = line else { return stop };
                let id = self.next_file();
                self.loaded.push(SourceFile::new(format!("modules/{file}"), text));
                let start = line_start(text, line);
                stop.trace(Some(Span::new(id, start, start.saturating_add(1))), "raised here")
            }
        }
    }

    /// Returns the error about a function in Ruby that is not evaluated.
    pub(crate) fn refused_function(&self, name: &str, function: &RubyFunction, arguments: &[Value]) -> Stop {
        let RubyFunction { module, path, .. } = function;
        let given = arguments.len();
        let bounds = self.services.ruby_function_arguments(function);
        let takes = bounds.map(|(least, most)| match most {
            Some(most) if most == least => format!("{least} argument{}", if least == 1 { "" } else { "s" }),
            Some(most) => format!("{least} to {most} arguments"),
            None => format!("at least {least} argument{}", if least == 1 { "" } else { "s" }),
        });
        if let (Some((least, most)), Some(takes)) = (bounds, &takes)
            && (given < least as usize || most.is_some_and(|most| given > most as usize))
        {
            let message = format!(
                "'{name}' expects {takes}, got {}",
                if given == 0 { "none".to_owned() } else { given.to_string() }
            );
            let help = format!("the function is written in Ruby (modules/{module}/{path})");
            return unlocated(Error::new(ErrorKind::Arguments, message).help(help));
        }
        let takes = takes.map_or(String::new(), |takes| format!("; it takes {takes}"));
        let message =
            format!("Function {name}() is written in Ruby (modules/{module}/{path}), which is not evaluated{takes}");
        let help = format!(
            "`--ruby-fallback` evaluates it with an installed Ruby; or write a function `{module}::…` in the language, in \
             `functions/` of a module, and call it instead"
        );
        unlocated(Error::new(ErrorKind::Unavailable, message).help(help)).code(Code::P0522)
    }

    /// Returns the start of a line in a template, for its errors.
    pub(crate) fn ruby_line(text: &str, line: Option<u32>) -> Option<u32> {
        line.map(|line| line_start(text, line))
    }
}

/// Returns the error of a helper process that gave no result.
pub(crate) fn helper_failure(subject: &str, why: &str) -> Stop {
    let message = format!("{subject}: {why}");
    unlocated(Error::new(ErrorKind::Unavailable, message)).code(Code::P0523)
}

/// Returns what helps against an error that a part of Puppet's library is missing.
pub(crate) fn missing_library(class: &str, message: &str) -> Option<String> {
    let is_missing = matches!(class, "NameError" | "NoMethodError" | "NotImplementedError" | "LoadError")
        && (message.contains("Puppet") || message.contains("Facter") || class == "LoadError");
    is_missing.then(|| {
        "`--ruby-fallback` runs Ruby without Puppet, so that only a small part of its library is there: let Puppet \
         compile the catalog (`--compiler puppet`)"
            .to_owned()
    })
}

/// Whether a template has an instance variable of a name: `@name`.
fn mentions(text: &str, name: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(name)
            && !after.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        {
            return true;
        }
    }
    false
}

/// Returns the offset of a line, counted from one.
fn line_start(text: &str, line: u32) -> u32 {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    u32::try_from(before.min(text.len())).unwrap_or(u32::MAX)
}

/// What a program in Ruby sees of the evaluation.
struct RubyScope<'a, 'e> {
    evaluator: &'a mut Evaluator<'e>,
    /// The call of a function.
    arguments: &'a [Value],
    block: Option<&'a Block>,
    function: &'a str,
}

impl RubyScope<'_, '_> {
    fn error(&mut self, stop: Stop) -> Error {
        match self.evaluator.interrupt(stop) {
            Interrupt::Error(error) => *error,
            Interrupt::Break | Interrupt::Next(_) | Interrupt::Return(_) => {
                Error::new(ErrorKind::Evaluation, "Ruby cannot be left with break(), next() or return()")
            }
        }
    }

    fn span(&self) -> Span {
        self.evaluator.call_span.unwrap_or(Span::new(FileId::MAIN, 0, 0))
    }
}

impl RubyHost for RubyScope<'_, '_> {
    fn variable(&mut self, name: &str) -> Result<Value, Error> {
        if let Some(value) = self.evaluator.lookup_variable(name) {
            return Ok(value);
        }
        let span = self.span();
        self.evaluator.unknown_variable(name, span).map_err(|stop| self.error(stop))
    }

    fn has_variable(&mut self, name: &str) -> bool {
        self.evaluator.lookup_variable(name).is_some()
    }

    fn variables(&mut self) -> Vec<(Arc<str>, Value)> {
        self.evaluator.visible_variables()
    }

    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), Error> {
        let span = self.span();
        self.evaluator.assign(&name.into(), value, span).map_err(|stop| self.error(stop))
    }

    fn resource(&mut self) -> String {
        let resource = self.evaluator.scope_resource();
        self.evaluator.catalog.resource(resource).reference.to_string()
    }

    fn call_function(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        let span = self.evaluator.call_span;
        self.evaluator.call_function_at(name, arguments, None, span).map_err(|stop| self.error(stop))
    }

    fn knows_function(&mut self, name: &str) -> bool {
        Evaluator::knows_function(self.evaluator, name)
    }

    fn call_block(&mut self, arguments: &[Value]) -> Result<Value, Error> {
        let Some(block) = self.block else {
            return Err(Error::new(ErrorKind::Evaluation, "the call has no block"));
        };
        self.evaluator.run_block(block.id, arguments).map_err(|stop| self.error(stop))
    }

    fn choose(&mut self, signatures: &[String]) -> Result<usize, Error> {
        let mut parsed = Vec::with_capacity(signatures.len());
        for text in signatures {
            parsed.push(self.signature(text)?);
        }
        let block = self.block.map(|block| &*block.callable);
        match parsed.iter().position(|signature| signature.accepts(self.arguments, block)) {
            Some(chosen) => Ok(chosen),
            None => {
                let text = describe_signatures(self.function, &parsed, self.arguments, block);
                Err(Error::new(ErrorKind::Arguments, text))
            }
        }
    }

    fn log(&mut self, level: LogLevel, message: &str) {
        match level {
            LogLevel::Warning => Host::warn(self.evaluator, message),
            level => Host::log(self.evaluator, level, message),
        }
    }

    fn library(&mut self, path: &str) -> Option<String> {
        self.evaluator.services.ruby_library(path)
    }
}

impl RubyScope<'_, '_> {
    /// Reads a signature, whose types may be those of the program.
    fn signature(&mut self, text: &str) -> Result<Signature, Error> {
        let failed = RefCell::new(None);
        let parsed = {
            let evaluator = RefCell::new(&mut *self.evaluator);
            let resolve = |name: &str| match evaluator.borrow_mut().find_type(name) {
                Ok(found) => found.or_else(|| Some(Type::Reference(name.into()))),
                Err(stop) => {
                    *failed.borrow_mut() = Some(stop);
                    None
                }
            };
            Signature::parse(text, &resolve)
        };
        match failed.into_inner() {
            Some(stop) => Err(self.error(stop)),
            None => parsed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        assert!(mentions("<%= @name %>", "name") && mentions("a@b @@name", "name"));
        assert!(!mentions("<%= @names %> name", "name") && !mentions("@", "name"));
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!([1, 2, 3, 9].map(|line| line_start("a\nbc\nd", line)), [0, 2, 5, 6]);
    }
}
