//! Collects the names that a program declares, while it is lowered.

use mcl_artifact::program::{EdgeProperty, Operand};
use mcl_diagnostics::Span;
use mcl_parser::ast::{Ast, EntryKind, Resource};
use mcl_value::{Str, Value};
use resource_graph::{ResourceKind, kind};

use crate::builder::{BuilderId, as_const};
use crate::certain_edges::CertainEdge;
use crate::declared::{DeclaredResource, EdgeEnd};
use crate::lower::Lowering;
use crate::resource::edge_property;

/// A statement with more edges is not looked at: cycles are rarely made of many resources, and their number is a product.
const MAX_EDGES: usize = 1000;

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

    /// Remembers the edges of a statement of edges.
    pub(crate) fn declare_chain(&mut self, at: BuilderId, ends: &[(&str, Operand)], span: Span) {
        for pair in ends.windows(2) {
            self.declare_edge(at, pair[0], pair[1], span);
        }
    }

    /// Remembers the edges of the entries of a resource.
    pub(crate) fn declare_entries(
        &mut self,
        at: BuilderId,
        (ast, resource): (&Ast, &Resource),
        name: Operand,
        values: &[(Option<Operand>, Operand)],
    ) {
        if resource.collect {
            return;
        }
        let itself = (ast.name(resource.kind), name);
        for (entry, (condition, value)) in resource.entries.iter().zip(values) {
            if let (EntryKind::Edge { property, half }, None) = (&entry.kind, condition) {
                let other = (ast.name(half.kind), *value);
                match edge_property(ast.name(*property)) {
                    Some(EdgeProperty::Before | EdgeProperty::Notify) => {
                        self.declare_edge(at, itself, other, entry.span(ast));
                    }
                    Some(EdgeProperty::Depend | EdgeProperty::Listen) => {
                        self.declare_edge(at, other, itself, entry.span(ast));
                    }
                    None => {}
                }
            }
        }
    }

    /// Remembers the edges between the resources with two names, or two lists of names, if they are there whenever the program runs.
    fn declare_edge(&mut self, at: BuilderId, from: (&str, Operand), to: (&str, Operand), span: Span) {
        let (Some(from_kind), Some(to_kind)) = (kind(from.0), kind(to.0)) else { return };
        if !self.is_top_builder(at) {
            return;
        }
        let (Some(froms), Some(tos)) = (self.constant_names(from.1), self.constant_names(to.1)) else { return };
        if froms.len().saturating_mul(tos.len()) > MAX_EDGES {
            return;
        }
        for from in froms {
            let edge =
                |to: &Str| CertainEdge { from: (from_kind.name, from.clone()), to: (to_kind.name, to.clone()), span };
            self.declared.certain_edges.extend(tos.iter().map(edge));
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
