//! Warnings about constant values that a resource kind refuses: the resource would be invalid whenever the program runs.
//!
//! A parameter is checked on its own, and, if all of a resource is constant, together with the others. There is no warning
//! about what is missing, because a parameter can also be received from another resource.

use mcl_artifact::program::Operand;
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_parser::ast::{Ast, EntryKind, Resource};
use mcl_value::Value;
use resource_graph::{Check, Repr, ResourceId, ResourceKind, ValidationError, kind, validate, validate_value};

use crate::lower::Lowering;

/// At most this many resources of a program are validated as a whole, because that takes longer than to lower them.
const MAX_VALIDATED: u32 = 20_000;

/// The values that were found, and the work that was done.
#[derive(Default)]
pub(crate) struct RefusedValues {
    /// One warning per location: a class may be included many times.
    pub(crate) warnings: Vec<Diagnostic>,
    validated: u32,
}

impl RefusedValues {
    fn add(&mut self, kind: &ResourceKind, span: Span, error: ValidationError) {
        if self.warnings.iter().rev().take(MAX_REPEATED).any(|warning| warning.span == Some(span)) {
            return;
        }
        let warning = Diagnostic::warning(Code::W0205, Stage::Graph, error.message)
            .at_with(span, format!("`{}` refuses this value whenever the program runs", kind.name));
        self.warnings.push(match error.help {
            Some(help) => warning.help(help),
            None => warning,
        });
    }
}

/// The last warnings are compared with a new one. The entries of a class repeat in the same order.
const MAX_REPEATED: usize = 100;

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
            let EntryKind::Field { name, .. } = &entry.kind else {
                is_constant &= matches!(entry.kind, EntryKind::Edge { .. });
                continue;
            };
            let (Operand::Const(constant), Some(field)) = (*value, kind.field(ast.name(*name))) else {
                is_constant = false;
                continue;
            };
            is_constant &= condition.is_none();
            if field.check == Check::Any && field.repr == Repr::Plain {
                continue;
            }
            if let Some(Err(error)) = self.emitter.pool.value(constant).map(|value| validate_value(field, &value)) {
                self.refused.add(kind, entry.span, error);
                is_refused = true;
            }
        }
        if is_constant && !is_refused && self.refused.validated < MAX_VALIDATED {
            self.refused.validated += 1;
            self.check_together(ast, resource, kind, name, values);
        }
    }

    /// Validates a resource whose parameters are all constant.
    fn check_together(
        &mut self,
        ast: &Ast,
        resource: &Resource,
        kind: &ResourceKind,
        name: Operand,
        values: &[(Option<Operand>, Operand)],
    ) {
        let constant = |operand: Operand| match operand {
            Operand::Const(constant) => self.emitter.pool.value(constant),
            _ => None,
        };
        let Some(Value::Str(name)) = constant(name) else { return };
        let mut whole = resource_graph::Resource::new(ResourceId::new(kind.name, &*name.to_text()));
        for (entry, (_, value)) in resource.entries.iter().zip(values) {
            if let EntryKind::Field { name, .. } = &entry.kind {
                let Some(value) = constant(*value) else { return };
                whole.params.insert(ast.name(*name).clone(), value);
            }
        }
        let Err(error) = validate(&whole) else { return };
        let given = resource.entries.iter().find(|entry| match &entry.kind {
            EntryKind::Field { name, .. } => error.param.as_deref() == Some(&**ast.name(*name)),
            EntryKind::Edge { .. } | EntryKind::Meta { .. } => false,
        });
        if let Some(entry) = given {
            let span = entry.span;
            self.refused.add(kind, span, error);
        }
    }
}
