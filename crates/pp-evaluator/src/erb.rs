//! Templates in ERB (spec 07 §10.5): `template` and `inline_template`.

use std::rc::Rc;
use std::sync::Arc;

use mcl_diagnostics::{Code, FileId, SourceFile, Span};
use pp_erb::{Change, Found, Mutability, Scope};
use pp_functions::{FileKind, Interrupt, Template, find_module_function, has_legacy_interface};
use pp_types::{Error, ErrorKind, Value};

use crate::erb_template::{ErbTemplate, ParsedTemplate};
use crate::evaluator::Evaluator;
use crate::ruby::RubyFailure;
use crate::ruby_call::{helper_failure, missing_library};
use crate::stop::{Eval, Stop, unlocated};

impl Evaluator<'_> {
    /// Renders a template.
    pub(crate) fn render_erb(&mut self, template: Template<'_>) -> Eval {
        let ErbTemplate { file, parsed } = self.erb_template(template)?;
        let parsed = match parsed {
            ParsedTemplate::Native(parsed) => parsed,
            ParsedTemplate::Ruby => return self.render_in_ruby(template, file),
        };
        let budget = &self.options.budget;
        let budget = pp_erb::Budget {
            steps: budget.steps.saturating_sub(self.steps),
            bytes: budget.bytes.saturating_sub(self.bytes),
        };
        let span = self.call_span;
        let objects = self.templates.objects.clone();
        self.templates.running += 1;
        let rendered =
            self.nested(span, |this| match parsed.render(&mut ErbScope { evaluator: this }, &objects, budget) {
                Ok(rendered) => Ok(Ok(rendered.text)),
                Err(error) if error.kind == pp_erb::ErrorKind::Refused && this.has_ruby() => Ok(Err(error)),
                Err(error) => Err(this.erb_error(template, file, error)),
            });
        self.templates.running -= 1;
        if self.templates.running == 0 {
            self.templates.forget();
        }
        match rendered? {
            Ok(text) => Ok(Value::from(text)),
            Err(_) => self.render_in_ruby(template, file),
        }
    }

    /// Renders a template with the installed Ruby.
    fn render_in_ruby(&mut self, template: Template<'_>, file: FileId) -> Eval {
        let source = self.source(Span::new(file, 0, 0));
        let (name, text): (Arc<str>, Arc<str>) =
            source.map_or_else(Default::default, |source| (Arc::clone(&source.name), Arc::clone(&source.text)));
        let span = self.call_span;
        self.nested(span, |this| match this.render_with_ruby(&name, &text) {
            Ok(value) => Ok(value),
            Err(RubyFailure::Helper(why)) => {
                Err(helper_failure(&format!("Failed to parse {}", subject(template)), &why))
            }
            Err(RubyFailure::Raised { class, message, line }) => {
                let help = missing_library(&class, &message);
                let kind = match class.as_str() {
                    "SyntaxError" => pp_erb::ErrorKind::Syntax,
                    _ => pp_erb::ErrorKind::Failure,
                };
                let offset = Self::ruby_line(&text, line);
                Err(this.erb_error(template, file, pp_erb::Error { kind, message, help, offset, puppet: None }))
            }
            Err(RubyFailure::Passed(error)) => {
                let (kind, message, help) = (pp_erb::ErrorKind::Failure, error.message.clone(), error.help.clone());
                let error = pp_erb::Error { kind, message, help, offset: None, puppet: Some(error) };
                Err(this.erb_error(template, file, error))
            }
        })
    }

    fn erb_template(&mut self, template: Template<'_>) -> Eval<ErbTemplate> {
        let (is_file, key) = match template {
            Template::Text(text) => (false, Arc::from(text)),
            Template::Named(name) => {
                let path = self.find_in_module(FileKind::Templates, name).map_err(unlocated)?;
                (true, path.ok_or_else(|| self.template_not_found(name))?)
            }
        };
        let known = self.erb_templates.get(&(is_file, Arc::clone(&key)));
        if let Some(known) = known {
            return Ok(known.clone());
        }
        let (name, text): (Arc<str>, Arc<str>) = if is_file {
            let bytes = self.services.read_file(&key).map_err(unlocated)?;
            // Puppet reads templates without a byte order mark.
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
            (Arc::clone(&key), String::from_utf8_lossy(bytes).into())
        } else {
            ("inline template".into(), Arc::clone(&key))
        };
        self.spend(text.len() as u64 / 16, text.len() as u64).map_err(unlocated)?;
        let file = self.next_file();
        self.loaded.push(SourceFile::new(name, &*text));
        let parsed = match pp_erb::Template::parse(&text) {
            Ok(parsed) if !parsed.refusals().is_empty() && self.has_ruby() => ParsedTemplate::Ruby,
            Ok(parsed) => ParsedTemplate::Native(Rc::new(parsed)),
            Err(error) if error.kind == pp_erb::ErrorKind::Refused && self.has_ruby() => ParsedTemplate::Ruby,
            Err(error) => return Err(self.erb_error(template, file, error)),
        };
        let template = ErbTemplate { file, parsed };
        self.erb_templates.insert((is_file, key), template.clone());
        Ok(template)
    }

    /// Makes an error of the evaluation of one of a template.
    fn erb_error(&mut self, template: Template<'_>, file: FileId, error: pp_erb::Error) -> Stop {
        let pp_erb::Error { kind, message, help, offset, puppet } = error;
        let subject = subject(template);
        let (code, kind) = match (kind, &puppet) {
            (_, Some(error)) => (None, error.kind),
            (pp_erb::ErrorKind::Limit, _) => (None, ErrorKind::Limit),
            (pp_erb::ErrorKind::Refused, _) => (Some(Code::P0521), ErrorKind::Unavailable),
            (pp_erb::ErrorKind::Syntax | pp_erb::ErrorKind::Failure, _) => (Some(Code::P0520), ErrorKind::Evaluation),
        };
        let mut error = Error::new(kind, format!("Failed to parse {subject}: {message}"));
        error.help = match help {
            None if code == Some(Code::P0521) => Some(
                "compute the value in the manifest, or let an installed Ruby render it: `--ruby-fallback`".to_owned(),
            ),
            help => help,
        };
        let passing = puppet.and_then(|puppet| self.passing.take().filter(|fault| fault.error == puppet));
        let mut stop = match (template, offset) {
            (Template::Named(_), Some(offset)) => Stop::at(Span::new(file, offset, offset.saturating_add(1)), error)
                .trace(self.call_span, "rendered here"),
            // The text of an inline template is part of the manifest, so the call is the better place.
            (Template::Text(text), Some(offset)) => {
                let before = text.get(..offset as usize).unwrap_or(text);
                if text.contains('\n') {
                    let line = before.matches('\n').count() + 1;
                    error.message.push_str(&format!(" (line {line} of the template)"));
                }
                unlocated(error)
            }
            (_, None) => unlocated(error),
        };
        if let Some(passing) = passing.filter(|fault| fault.span != self.call_span) {
            stop = stop.trace(passing.span, "the error");
        }
        match code {
            Some(code) => stop.code(code),
            None => stop,
        }
    }
}

/// Returns a template as messages name it.
fn subject(template: Template<'_>) -> String {
    match template {
        Template::Named(name) => format!("template {name}"),
        Template::Text(_) => "inline template".to_owned(),
    }
}

/// What a template sees.
struct ErbScope<'a, 'e> {
    evaluator: &'a mut Evaluator<'e>,
}

impl ErbScope<'_, '_> {
    fn error(&mut self, stop: Stop) -> Error {
        match self.evaluator.interrupt(stop) {
            Interrupt::Error(error) => *error,
            Interrupt::Break | Interrupt::Next(_) | Interrupt::Return(_) => {
                Error::new(ErrorKind::Evaluation, "a function cannot leave a template with break(), next() or return()")
            }
        }
    }
}

impl Scope for ErbScope<'_, '_> {
    fn variable(&mut self, name: &str) -> Option<Found> {
        self.evaluator.find_for_template(name)
    }

    fn lookup(&mut self, name: &str) -> Result<Found, Error> {
        if let Some(found) = self.evaluator.find_for_template(name) {
            return Ok(found);
        }
        let span = self.evaluator.call_span.unwrap_or(Span::new(FileId::MAIN, 0, 0));
        match self.evaluator.undefined_in_template(name, span) {
            Ok(value) => Ok(Found { value, parameter: None }),
            Err(stop) => Err(self.error(stop)),
        }
    }

    fn variables(&mut self) -> Vec<(Arc<str>, Found)> {
        self.evaluator.visible_for_template()
    }

    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), Error> {
        let span = self.evaluator.call_span.unwrap_or(Span::new(FileId::MAIN, 0, 0));
        self.evaluator.assign(&name.into(), value, span).map_err(|stop| self.error(stop))
    }

    fn mutability(&mut self, value: &Value) -> Mutability {
        self.evaluator.mutability(value)
    }

    fn change(&mut self, changes: &[Change]) -> Result<(), Error> {
        self.evaluator.write_back(changes)
    }

    fn call_function(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        let span = self.evaluator.call_span;
        self.evaluator.call_function_at(name, arguments, None, span).map_err(|stop| self.error(stop))
    }

    fn convert(&mut self, function: &str, value: &Value) -> Result<Value, Error> {
        let Some(function) = find_module_function("stdlib", function) else {
            return Err(Error::new(ErrorKind::Unavailable, format!("templates cannot use `{function}`")));
        };
        pp_functions::call(function, self.evaluator, std::slice::from_ref(value), None).map_err(|interrupt| {
            let stop = self.evaluator.stop(interrupt);
            self.error(stop)
        })
    }

    fn has_legacy_function(&mut self, name: &str) -> bool {
        has_legacy_interface(name) || self.evaluator.find_ruby_function(name).is_some_and(|function| function.is_legacy)
    }

    fn resource(&mut self) -> String {
        let resource = self.evaluator.scope_resource();
        self.evaluator.catalog.resource(resource).reference.to_string()
    }

    fn charge(&mut self, steps: u64, bytes: u64) -> Result<(), Error> {
        self.evaluator.spend(steps, bytes)
    }
}
