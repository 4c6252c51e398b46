//! Resource defaults: `File { mode => '0644' }` (spec 07 §5.8).

use mcl_diagnostics::{Code, Span};
use pp_ast::ExprId;
use pp_catalog::{CatalogError, Parameter, Parameters};
use pp_types::{Error, ErrorKind, Type, Value, operand_name};

use crate::evaluator::Evaluator;
use crate::scope::ScopeId;
use crate::stop::{Eval, Stop, located, unlocated};

impl Evaluator<'_> {
    pub(crate) fn eval_defaults(&mut self, id: ExprId, index: u32) -> Eval {
        let tree = self.frame.tree;
        let defaults = tree.defaults[index as usize];
        let type_name = match self.eval(defaults.type_name)? {
            Value::Type(Type::Resource(Some(name), None)) => name,
            other => {
                let got = operand_name(&other);
                let message = format!(
                    "Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {got}"
                );
                return Err(self.error(id, message).code(Code::P0511));
            }
        };
        let attributes = self.eval_attributes(defaults.attributes, id)?;
        let scope = self.frame.scope;
        for parameter in attributes {
            let list = self.scopes[scope].defaults.entry(type_name.clone()).or_default();
            if let Some(earlier) = list.iter().find(|known| known.name == parameter.name) {
                let message = format!(
                    "Default already defined at {} for {type_name} {{ {} }}; cannot redefine",
                    earlier.location, parameter.name
                );
                let first = earlier.location.span;
                let stop = self.error(id, message).code(Code::P0511);
                return Err(stop.trace(first, "first default"));
            }
            list.push(parameter);
        }
        Ok(Value::Undef)
    }

    /// Adds the defaults that hold in a scope for the parameters that are not set, those of outer scopes first.
    pub(crate) fn add_defaults(&self, type_name: &str, parameters: &mut Parameters, scope: ScopeId) {
        let mut found: Vec<&[Parameter]> = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id];
            found.extend(scope.defaults.get(type_name).map(Vec::as_slice));
            at = scope.declared_in;
        }
        let mut defaults = Parameters::default();
        for default in found.into_iter().rev().flatten().filter(|default| parameters.get(&default.name).is_none()) {
            defaults.set(default.clone());
        }
        for default in &defaults {
            parameters.set(default.clone());
        }
    }

    /// Creates an error of the catalog at an expression, or else at its own location.
    pub(crate) fn catalog_error(&self, error: &CatalogError, span: Option<Span>) -> Stop {
        let earlier = error.earlier().and_then(|earlier| earlier.span);
        let text = Error::new(ErrorKind::Evaluation, error.to_string());
        let stop = located(unlocated(text), span.or(error.location.span)).code(error.code());
        stop.help(error.help(&self.catalog)).trace(earlier, "first declaration")
    }
}
