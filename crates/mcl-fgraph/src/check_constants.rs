//! Checks the constant values of resources.
//!
//! A parameter is checked on its own, and, if all of a resource is constant, together with the name and the others. What is
//! missing, or wrong with the name, counts unless some edge of the program sends a value to a resource of the kind.

use std::sync::Arc;

use mcl_artifact::program::Operand;
use mcl_parser::ast::{Ast, EntryKind, Resource};
use mcl_value::{Str, Value};
use resource_graph::{
    Check, Field, Meta, Repr, ResourceId, ResourceKind, ValidationError, kind, validate, validate_value,
};

use crate::builder::as_const;
use crate::lower::Lowering;

impl Lowering<'_> {
    /// Checks the constant values of a resource; `values` are the conditions and values of its entries.
    pub(crate) fn check_constants(
        &mut self,
        ast: &Ast,
        resource: &Resource,
        name: Operand,
        values: &[(Option<Operand>, Operand)],
    ) {
        let Some(kind) = kind(ast.name(resource.kind)).filter(|_| !resource.collect) else { return };
        let (mut is_constant, mut is_refused) = (true, false);
        for (entry, (condition, value)) in resource.entries.iter().zip(values) {
            let value = self.constant_value(*value);
            let error = match &entry.kind {
                EntryKind::Edge { .. } => continue,
                EntryKind::Field { name, .. } => {
                    let field = kind.field(ast.name(*name));
                    is_constant &= value.is_some() && field.is_some();
                    let is_checked = |field: &&Field| field.check != Check::Any || field.repr != Repr::Plain;
                    let checked = field.filter(is_checked).zip(value);
                    checked.and_then(|(field, value)| validate_value(field, &value).err())
                }
                EntryKind::Meta { property, .. } => {
                    is_constant &= value.is_some();
                    let set = |value: Value| Meta::default().set(kind, ast.name(*property), &value);
                    value.and_then(|value| set(value).err()).map(|error| ValidationError::new(error.to_string()))
                }
            };
            is_constant &= condition.is_none();
            if let Some(error) = error {
                self.refused.add_value(kind, entry.span, error);
                is_refused = true;
            }
        }
        if is_constant && !is_refused {
            self.check_together(ast, resource, kind, name, values);
        }
    }

    fn constant_value(&self, operand: Operand) -> Option<Value> {
        self.emitter.pool.value(as_const(operand)?)
    }

    /// Validates a resource whose parameters are all constant.
    fn check_together(
        &mut self,
        ast: &Ast,
        resource: &Resource,
        kind: &'static ResourceKind,
        name: Operand,
        values: &[(Option<Operand>, Operand)],
    ) {
        let names = match self.constant_value(name) {
            Some(Value::Str(name)) => vec![name],
            Some(Value::List(names)) => names.iter().filter_map(str_of).collect(),
            _ => return,
        };
        let mut whole = resource_graph::Resource::new(ResourceId::new(kind.name, ""));
        for (entry, (_, value)) in resource.entries.iter().zip(values) {
            let (EntryKind::Field { name, .. } | EntryKind::Meta { property: name, .. }) = &entry.kind else {
                continue;
            };
            let Some(value) = self.constant_value(*value) else { return };
            if let EntryKind::Field { .. } = entry.kind {
                whole.params.insert(Arc::clone(ast.name(*name)), value);
            } else if whole.meta.set(kind, ast.name(*name), &value).is_err() {
                return;
            }
        }
        for name in names {
            whole.id = ResourceId::new(kind.name, &*name.to_text());
            if let Err(error) = validate(&whole) {
                return self.refuse(ast, resource, kind, error);
            }
        }
    }

    /// Reports that a resource is invalid, at the entry at fault, or else at its head.
    fn refuse(&mut self, ast: &Ast, resource: &Resource, kind: &ResourceKind, error: ValidationError) {
        let given = error.param.as_deref().and_then(|param| {
            resource.entries.iter().find(|entry| match &entry.kind {
                EntryKind::Field { name, .. } => **ast.name(*name) == *param,
                EntryKind::Meta { property, .. } => param.strip_prefix("Meta:").is_some_and(|meta| {
                    ast.name(*property).eq_ignore_ascii_case(meta) || ast.name(*property).eq_ignore_ascii_case("meta")
                }),
                EntryKind::Edge { .. } => false,
            })
        });
        match given {
            Some(entry) => self.refused.add_value(kind, entry.span, error),
            // A parameter can also be received from another resource.
            None if self.refused.is_receiver(kind, &self.frames.typed.scoped) => {}
            None => {
                let head = resource.kind_span.to(ast.expr_span(resource.name));
                let label = format!("`{}` refuses this resource whenever the program runs", kind.name);
                self.refused.add(head, label, error);
            }
        }
    }
}

fn str_of(value: &Value) -> Option<Str> {
    match value {
        Value::Str(text) => Some(text.clone()),
        _ => None,
    }
}
