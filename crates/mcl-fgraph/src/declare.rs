//! Collects the names that a program declares, while it is lowered.

use mcl_artifact::program::Operand;
use mcl_diagnostics::Span;
use mcl_parser::ast::{Ast, EntryKind, Resource};
use mcl_value::{Str, Value};
use resource_graph::{ResourceKind, kind};

use crate::builder::{BuilderId, as_const};
use crate::declared::{DeclaredResource, EdgeEnd};
use crate::lower::Lowering;

impl Lowering<'_> {
    /// Remembers the names of a resource.
    pub(crate) fn declare(
        &mut self,
        at: BuilderId,
        (ast, resource, statement): (&Ast, &Resource, Span),
        kind: &'static ResourceKind,
        name: Operand,
    ) {
        let Some(names) = self.constant_names(name).filter(|_| !resource.collect) else {
            self.declared.open.insert(kind.name);
            return;
        };
        let is_certain = self.is_top_builder(at) && may_conflict(ast, resource, kind);
        let head = resource.kind_span(ast).to(ast.expr_span(resource.name));
        for name in names {
            self.declared.resources.push(DeclaredResource { kind: kind.name, name, statement, head, is_certain });
        }
    }

    /// Remembers an end of an edge.
    pub(crate) fn declare_end(&mut self, kind_name: &str, name: Operand, span: Span) {
        if let (Some(kind), Some(names)) = (kind(kind_name), self.constant_names(name)) {
            self.declared.edges.extend(names.into_iter().map(|name| EdgeEnd { kind: kind.name, name, span }));
        }
    }

    fn constant_names(&self, name: Operand) -> Option<Vec<Str>> {
        match self.emitter.pool.value(as_const(name)?)? {
            Value::Str(name) => Some(vec![name]),
            Value::List(names) => names
                .iter()
                .map(|name| match name {
                    Value::Str(name) => Some(name.clone()),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

/// Whether a resource conflicts with another one of its name: hidden and exported ones do not, and some kinds join theirs.
fn may_conflict(ast: &Ast, resource: &Resource, kind: &ResourceKind) -> bool {
    let has_own_rules = resource.entries.iter().any(|entry| match &entry.kind {
        EntryKind::Meta { property, .. } => matches!(ast.name(*property), "hidden" | "export" | "meta"),
        EntryKind::Field { .. } | EntryKind::Edge { .. } => false,
    });
    !has_own_rules && kind.merge.is_none()
}
