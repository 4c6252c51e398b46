//! Checks the constant values of resources.
//!
//! The values that are constant are checked by themselves, and, if all of a resource is constant, together. What is
//! missing, or wrong with the name, counts unless some edge of the program sends a value to a resource of the kind.

use mcl_artifact::program::Operand;
use mcl_diagnostics::{Change, Fix, Span};
use mcl_parser::ast::{Ast, EntryKind, Resource};
use mcl_value::{Str, Value};
use resource_graph::{ResourceId, ResourceKind, ValidationError, validate, validate_some_values, validate_value};

use crate::builder::as_const;
use crate::lower::Lowering;

impl Lowering<'_> {
    /// Checks the constant values of a resource; `values` are the conditions and values of its entries.
    pub(crate) fn check_constants(
        &mut self,
        (ast, resource, statement): (&Ast, &Resource, Span),
        kind: &'static ResourceKind,
        name: Operand,
        values: &[(Option<Operand>, Operand)],
    ) {
        if resource.collect {
            return;
        }
        let mut constants = resource_graph::Resource::new(ResourceId::new(kind.name, ""));
        let (mut is_constant, mut is_refused) = (true, false);
        for (entry, (condition, value)) in resource.entries.iter().zip(values) {
            let property = match &entry.kind {
                EntryKind::Edge { .. } => continue,
                EntryKind::Field { name, .. } => ast.name(*name),
                EntryKind::Meta { property, .. } => ast.name(*property),
            };
            is_constant &= condition.is_none();
            let Some(value) = self.constant_value(*value) else {
                is_constant = false;
                continue;
            };
            let result = match &entry.kind {
                EntryKind::Meta { .. } => {
                    constants.meta.set(kind, property, &value).map_err(|error| ValidationError::new(error.to_string()))
                }
                EntryKind::Field { .. } | EntryKind::Edge { .. } => match kind.field(property) {
                    Some(field) => validate_value(kind, field, &value).map(|()| {
                        constants.params.insert(property.into(), value);
                    }),
                    None => {
                        is_constant = false;
                        Ok(())
                    }
                },
            };
            if let Err(error) = result {
                self.refused.add_value(kind, ast, entry, error);
                is_refused = true;
            }
        }
        let names = match self.constant_value(name) {
            Some(Value::Str(name)) => vec![name],
            Some(Value::List(names)) => names.iter().filter_map(str_of).collect(),
            _ => return,
        };
        for name in names {
            constants.id = ResourceId::new(kind.name, &*name.to_text());
            if self.check_together((ast, resource, statement), kind, &mut constants, is_constant, is_refused) {
                return;
            }
        }
    }

    fn constant_value(&self, operand: Operand) -> Option<Value> {
        self.emitter.pool.value(as_const(operand)?)
    }

    /// Validates the constant parameters together, and removes those that are refused. Returns whether there are any.
    fn check_together(
        &mut self,
        at: (&Ast, &Resource, Span),
        kind: &'static ResourceKind,
        constants: &mut resource_graph::Resource,
        is_constant: bool,
        is_refused: bool,
    ) -> bool {
        let (mut is_constant, mut is_refused) = (is_constant, is_refused);
        while let Err(error) = if is_constant { validate(constants) } else { validate_some_values(constants) } {
            let removed = error.param.as_ref().and_then(|param| constants.params.shift_remove(param));
            // What is missing, or wrong with the whole, may follow from a value that was refused before, or is computed.
            if removed.is_some() || is_constant && !is_refused {
                self.refuse(at, kind, error);
                is_refused = true;
            }
            if removed.is_none() {
                if !is_constant {
                    return is_refused;
                }
                // The values are still checked by themselves.
                is_constant = false;
            }
        }
        is_refused
    }

    /// Reports that a resource is invalid, at the entry at fault, or else at its head.
    fn refuse(
        &mut self,
        (ast, resource, statement): (&Ast, &Resource, Span),
        kind: &ResourceKind,
        error: ValidationError,
    ) {
        let given = error.param.as_deref().and_then(|param| {
            resource.entries.iter().find(|entry| match &entry.kind {
                EntryKind::Field { name, .. } => ast.name(*name) == param,
                EntryKind::Meta { property, .. } => param.strip_prefix("Meta:").is_some_and(|meta| {
                    ast.name(*property).eq_ignore_ascii_case(meta) || ast.name(*property).eq_ignore_ascii_case("meta")
                }),
                EntryKind::Edge { .. } => false,
            })
        });
        match given {
            Some(entry) => self.refused.add_value(kind, ast, entry, error),
            // A parameter can also be received from another resource.
            None if self.refused.is_receiver(kind, &self.frames.typed.scoped) => {}
            None => {
                let head = resource.kind_span(ast).to(ast.expr_span(resource.name));
                let label = format!("`{}` refuses this resource whenever the program runs", kind.name);
                let fixes = missing_entry(kind, statement, &error);
                self.refused.add(head, label, error, fixes);
            }
        }
    }
}

/// Returns the fixes for a resource without a required parameter: one for each value, or else one with a placeholder.
fn missing_entry(kind: &ResourceKind, statement: Span, error: &ValidationError) -> Vec<Fix> {
    let Some(field) = error.param.as_deref().and_then(|param| kind.field(param)) else { return Vec::new() };
    let add = |value: &str| {
        let entry = format!("{} => {value}", field.name);
        Fix::guess(format!("add `{entry}`"), Change::AddEntry { resource: statement, entry })
    };
    let placeholder = match field.ty {
        "bool" => "false",
        "int" => "0",
        "float" => "0.0",
        ty if ty.starts_with("[]") => "[]",
        ty if ty.starts_with("map{") => "{}",
        _ => "\"\"",
    };
    match &*error.allowed {
        [] => vec![add(placeholder)],
        allowed => allowed.iter().map(|value| add(&format!("{value:?}"))).collect(),
    }
}

fn str_of(value: &Value) -> Option<Str> {
    match value {
        Value::Str(text) => Some(text.clone()),
        _ => None,
    }
}
