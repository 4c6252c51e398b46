//! Resource defaults: `File { mode => '0644' }` (spec 07 §5.8).

use mcl_diagnostics::{Code, Span};
use pp_ast::ExprId;
use pp_catalog::{CatalogError, Parameters};
use pp_types::{Error, ErrorKind, Type, Value, operand_name};

use crate::evaluator::Evaluator;
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
        let scope = self.scope_resource();
        for default in attributes.into_list() {
            let result = self.catalog.add_default(scope, &type_name, default);
            result.map_err(|error| self.catalog_error(&error, Some(self.span(id))))?;
        }
        Ok(Value::Undef)
    }

    /// Adds the defaults that hold in the scope for the parameters that are not set, those of outer scopes first.
    pub(crate) fn add_defaults(&self, type_name: &str, parameters: &mut Parameters) {
        for default in &self.catalog.defaults_in(self.scope_resource(), type_name) {
            if parameters.get(&default.name).is_none() {
                parameters.set(default.clone());
            }
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
