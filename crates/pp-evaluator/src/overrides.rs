//! Overrides: `File['/a'] { mode => '0644' }` (spec 07 §5.8).

use mcl_diagnostics::Code;
use pp_ast::ExprId;
use pp_catalog::{CatalogWarning, Override, Reference};
use pp_functions::Strict;
use pp_types::{Error, ErrorKind, Type, Value};

use crate::evaluator::Evaluator;
use crate::stop::{Eval, located, unlocated};

impl Evaluator<'_> {
    pub(crate) fn eval_override(&mut self, id: ExprId, index: u32) -> Eval {
        let change = self.frame.tree.overrides[index as usize];
        let value = self.eval(change.resources)?;
        let parameters = self.eval_attributes(change.attributes, id)?.into_list();
        let mut references = Vec::new();
        let mut stack = vec![&value];
        while let Some(value) = stack.pop() {
            match value {
                Value::Array(elements) => stack.extend(elements.iter().rev()),
                Value::Type(Type::Resource(Some(ty), Some(title))) => references.push(Reference::new(ty, title)),
                other => {
                    let message = format!(
                        "Resource Override can only operate on resources, got: {}-Type",
                        pp_types::interpolate(other)
                    );
                    return Err(self.error(id, message).code(Code::P0511));
                }
            }
        }
        let span = Some(self.span(id));
        let source = self.scopes[self.frame.scope].source;
        for reference in references {
            let location = self.location(span);
            let change = Override { reference, parameters: parameters.clone(), location, source };
            let warning = self.catalog.add_override(change).map_err(|error| self.catalog_error(&error, None))?;
            if let Some(warning) = warning {
                self.catalog_warning(&warning)?;
            }
        }
        Ok(value)
    }

    /// Reports a warning of the catalog. A late override is an error by the setting `strict`.
    pub(crate) fn catalog_warning(&mut self, warning: &CatalogWarning) -> Eval<()> {
        if let CatalogWarning::LateOverride { .. } = warning
            && self.options.strict != Strict::Warning
        {
            if self.options.strict == Strict::Off {
                return Ok(());
            }
            let error = Error::new(ErrorKind::Evaluation, warning.to_string());
            return Err(located(unlocated(error), warning.location().span).code(warning.code()));
        }
        self.diagnostics.push(warning.diagnostic());
        Ok(())
    }
}
