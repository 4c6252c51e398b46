//! Variables: lookup and assignment (spec 07 §5.16).

use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;
use mcl_diagnostics::{Code, Diagnostic, Span, Stage, nearest};
use pp_ast::ExprId;
use pp_functions::{LogLevel, Strict};
use pp_types::{Error, ErrorKind, Value};
use rustc_hash::FxBuildHasher;

use crate::definitions::plain;
use crate::evaluator::Evaluator;
use crate::log::LogEntry;
use crate::scope::{Captures, Local, ScopeKind, TOP};
use crate::services::RubyFact;
use crate::stop::{Eval, Stop};

/// Variables that only Puppet itself sets.
pub(crate) const RESERVED_VARIABLES: [&str; 3] = ["facts", "trusted", "server_facts"];

impl Evaluator<'_> {
    /// Evaluates `$name`.
    pub(crate) fn eval_variable(&mut self, id: ExprId, name: &Arc<str>) -> Eval {
        if !self.pending.is_empty() {
            self.check_pending(name)?;
        }
        match self.lookup_variable(name) {
            Some(value) => Ok(value),
            None => {
                if let Some((class, _)) = plain(name).rsplit_once("::") {
                    self.load_class_of_variable(class)?;
                }
                self.unknown_variable(name, self.span(id))
            }
        }
    }

    /// Returns the value of a variable, or `None` if it is unknown.
    pub(crate) fn lookup_variable(&self, name: &str) -> Option<Value> {
        let value = self.find_variable(name);
        self.fact_recorder.variable(name, value.is_some());
        value
    }

    fn find_variable(&self, name: &str) -> Option<Value> {
        if name.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            return Some(self.capture(name));
        }
        if let Some(rest) = name.strip_prefix("::") {
            return if rest.contains("::") {
                self.qualified_variable(rest)
            } else {
                self.scopes[TOP].variables.get(rest).cloned()
            };
        }
        if name.contains("::") {
            return self.qualified_variable(name);
        }
        if let Some(local) = &self.frame.local
            && let Some(value) = local.lookup(name)
        {
            return Some(value);
        }
        self.scopes.lookup(self.frame.scope, name).cloned()
    }

    fn qualified_variable(&self, name: &str) -> Option<Value> {
        let (class, variable) = name.rsplit_once("::")?;
        self.scopes.lookup_class(*self.class_scopes.get(class)?, variable).cloned()
    }

    /// Returns the value of `$0` and so on: undef if nothing was matched.
    fn capture(&self, name: &str) -> Value {
        let captures = self.visible_captures();
        let group = name.parse().ok().and_then(|index: usize| captures.as_ref()?.get(index)?.clone());
        group.map_or(Value::Undef, Value::String)
    }

    fn visible_captures(&self) -> Option<Captures> {
        let mut local = self.frame.local.as_deref();
        while let Some(inner) = local {
            if let Some(captures) = inner.own_captures() {
                return Some(captures);
            }
            if inner.is_function {
                return None;
            }
            local = inner.parent.as_deref();
        }
        self.scopes.captures(self.frame.scope).cloned()
    }

    /// Returns the captures of the innermost block or scope alone, to be restored after a construct.
    pub(crate) fn own_captures(&self) -> Option<Captures> {
        match &self.frame.local {
            Some(local) => local.own_captures(),
            None => self.scopes[self.frame.scope].captures.clone(),
        }
    }

    /// Sets the captures of the innermost block or scope.
    pub(crate) fn set_captures(&mut self, captures: Option<Captures>) {
        match &self.frame.local {
            Some(local) => local.set_captures(captures),
            None => self.scopes[self.frame.scope].captures = captures,
        }
    }

    /// Warns of an unknown variable, or fails.
    pub(crate) fn unknown_variable(&mut self, name: &str, span: Span) -> Eval {
        self.unknown_variable_as(format!("Unknown variable: '{name}'."), name, span)
    }

    /// Does the same for a template in ERB, where the message differs.
    pub(crate) fn undefined_in_template(&mut self, name: &str, span: Span) -> Eval {
        let message = self.undefined_variable_text(name);
        self.unknown_variable_as(message, name, span)
    }

    /// Returns the message of what reads a variable by its name: a template in ERB, data.
    pub(crate) fn undefined_variable_text(&mut self, name: &str) -> String {
        let mut message = format!("Undefined variable '{name}'");
        if let Some((class, _)) = name.trim_start_matches("::").rsplit_once("::")
            && !self.class_scopes.contains_key(class)
        {
            let exists = matches!(self.find_class(class), Ok(Some(_)));
            let why = if exists { "has not been evaluated" } else { "could not be found" };
            message.push_str(&format!("; class {class} {why}"));
        }
        message
    }

    fn unknown_variable_as(&mut self, message: String, name: &str, span: Span) -> Eval {
        if !name.contains("::") && matches!(name, "title" | "name" | "module_name" | "caller_module_name") {
            return Ok(Value::Undef);
        }
        if self.errors.may_hide_variable(name) {
            return Err(self.consequence());
        }
        let of_ruby = self.services.ruby_fact(plain(name)).filter(|_| !plain(name).contains("::"));
        let of_ruby = of_ruby.map(|fact| format!("{}; {}", fact.origin(), RubyFact::REMEDY));
        let help = of_ruby.or_else(|| {
            let key = (self.frame.scope, Arc::from(name));
            let similar = match self.similar_variables.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let similar = self.similar_variable(name);
                    self.similar_variables.insert(key, similar.clone());
                    similar
                }
            };
            similar.map(|similar| format!("did you mean the variable `${similar}`?"))
        });
        match self.options.strict {
            _ if self.options.strict_variables => {}
            Strict::Error => {}
            Strict::Warning => {
                self.add_log(LogEntry { level: LogLevel::Warning, scope: None, message, span: Some(span), help });
                return Ok(Value::Undef);
            }
            Strict::Off => return Ok(Value::Undef),
        }
        Err(Stop::at(span, Error { help, ..Error::new(ErrorKind::Unknown, message) }))
    }

    /// Warns of a fact that does not exist because no Ruby is run.
    pub(crate) fn warn_of_ruby_fact(&mut self, name: &str, at: ExprId) {
        let Some(fact) = self.services.ruby_fact(name) else { return };
        let warning = Diagnostic::warning(Code::P0710, Stage::Puppet, format!("the fact `{name}` is missing"));
        self.diagnostics.push(warning.at_with(self.span(at), fact.origin()).help(RubyFact::REMEDY));
    }

    /// Returns the variables that are visible without a qualified name.
    pub(crate) fn visible_variables(&self) -> Vec<(Arc<str>, Value)> {
        let mut visible: IndexMap<Arc<str>, Value, FxBuildHasher> = IndexMap::default();
        let mut local = self.frame.local.as_deref();
        while let Some(inner) = local {
            for (name, value) in inner.own_variables() {
                visible.entry(name).or_insert(value);
            }
            local = inner.parent.as_deref();
        }
        let mut scope = Some(self.frame.scope);
        while let Some(id) = scope {
            for (name, value) in &self.scopes[id].variables {
                visible.entry(name.clone()).or_insert_with(|| value.clone());
            }
            scope = self.scopes[id].parent;
        }
        visible.sort_unstable_keys();
        visible.into_iter().collect()
    }

    /// Returns the name of a visible variable that could be meant.
    fn similar_variable(&self, name: &str) -> Option<String> {
        if let Some((class, variable)) = plain(name).rsplit_once("::") {
            let scope = self.class_scopes.get(class);
            let Some(scope) = scope else {
                let similar = nearest(class, self.class_scopes.keys().map(|known| &**known));
                return similar.map(|class| format!("{class}::{variable}"));
            };
            let names = self.scopes[*scope].variables.keys().map(|known| &**known);
            return nearest(variable, names).map(|similar| format!("{class}::{similar}"));
        }
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut scope = Some(self.frame.scope);
        while let Some(id) = scope {
            names.extend(self.scopes[id].variables.keys().cloned());
            scope = self.scopes[id].parent;
        }
        nearest(name, names.iter().map(|known| &**known)).map(str::to_owned)
    }

    /// Assigns a variable; `span` is that of the assignment.
    pub(crate) fn assign(&mut self, name: &Arc<str>, value: Value, span: Span) -> Eval<()> {
        if RESERVED_VARIABLES.contains(&&**name) {
            let dollar = if self.frame.local.is_none() && self.frame.scope == TOP { "$" } else { "" };
            let message = format!("Attempt to assign to a reserved variable name: '{dollar}{name}'");
            return Err(Stop::message(span, message).code(Code::P0510));
        }
        if let Some(local) = self.frame.local.clone() {
            return self.assign_local(&local, name, value, span);
        }
        let scope = &mut self.scopes[self.frame.scope];
        if scope.variables.contains_key(name) {
            let message = match &**name {
                "title" | "name" => format!("Cannot reassign built in (or already assigned) variable '${name}'"),
                _ => format!("Cannot reassign variable '${name}'"),
            };
            let is_fact = scope.kind == ScopeKind::Top && self.options.facts.contains_key(&Value::String(name.clone()));
            let help = if is_fact {
                "this is the name of a fact, which is already set at top scope".to_owned()
            } else {
                "a variable can be set once in a scope; use another name".to_owned()
            };
            return Err(Stop::message(span, message).code(Code::P0510).help(Some(help)));
        }
        scope.variables.insert(Arc::clone(name), value);
        Ok(())
    }

    fn assign_local(&mut self, local: &Rc<Local>, name: &Arc<str>, value: Value, span: Span) -> Eval<()> {
        if local.set(name, value) {
            return Ok(());
        }
        let help = "a variable can be set once in a block; use another name".to_owned();
        Err(Stop::message(span, format!("Cannot reassign variable '${name}'")).code(Code::P0510).help(Some(help)))
    }
}
