//! Lints about the names of all resources: edges to resources that do not exist, and resources that are declared twice.
//!
//! Both concern the whole program, of which a part knows only its own statements, so each part collects what it declares.

use std::sync::Arc;

use mcl_artifact::program::Operand;
use mcl_diagnostics::{Code, Diagnostic, Files, Span, Stage};
use mcl_parser::ast::{Ast, EntryKind, Resource};
use mcl_value::{Str, Value};
use resource_graph::{ResourceKind, kind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::builder::{BuilderId, as_const};
use crate::lower::Lowering;

/// The names of the resources and edges of a program, or of a part of it.
#[derive(Debug, Default)]
pub(crate) struct DeclaredNames {
    resources: Vec<DeclaredResource>,
    edges: Vec<EdgeEnd>,
    /// The kinds of resources whose names are computed when the program runs.
    open: FxHashSet<&'static str>,
}

#[derive(Debug)]
struct DeclaredResource {
    kind: &'static str,
    name: Str,
    statement: Span,
    head: Span,
    /// Whether it is declared whenever the program runs, and like no other.
    is_certain: bool,
}

#[derive(Debug)]
struct EdgeEnd {
    kind: &'static str,
    name: Str,
    span: Span,
}

impl DeclaredNames {
    /// Adds what other statements declare.
    pub(crate) fn extend(&mut self, other: DeclaredNames) {
        self.resources.extend(other.resources);
        self.edges.extend(other.edges);
        self.open.extend(other.open);
    }

    /// Returns the lints of the whole program.
    pub(crate) fn lints(self, files: &Files) -> Vec<Diagnostic> {
        let mut found = self.missing_ends();
        found.extend(self.duplicates(files));
        found
    }

    fn missing_ends(&self) -> Vec<Diagnostic> {
        if self.edges.is_empty() {
            return Vec::new();
        }
        let names: FxHashSet<(&str, &Str)> =
            self.resources.iter().map(|resource| (resource.kind, &resource.name)).collect();
        let mut spans = FxHashSet::default();
        let missing = self.edges.iter().filter(|end| {
            !self.open.contains(end.kind) && !names.contains(&(end.kind, &end.name)) && spans.insert(end.span)
        });
        let of_kind = |kind: &str| {
            let of_kind = self.resources.iter().filter(move |resource| resource.kind == kind);
            of_kind.map(|resource| resource.name.to_text().into_owned()).collect::<Vec<String>>()
        };
        let warning = |end: &EdgeEnd| {
            let name = end.name.to_text();
            let message = format!("edge to a resource that does not exist: {} {name:?}", end.kind);
            let warning = Diagnostic::warning(Code::W0216, Stage::Graph, message).at(end.span);
            let names = of_kind(end.kind);
            match mcl_diagnostics::nearest(&name, names.iter().map(String::as_str)) {
                Some(near) => warning.help(format!("did you mean {near:?}?")),
                None => warning.help("declare it, or remove the edge"),
            }
        };
        missing.map(warning).collect()
    }

    /// Equal declarations become one resource. Whether values are equal is seen in the text alone.
    fn duplicates(&self, files: &Files) -> Vec<Diagnostic> {
        let mut first: FxHashMap<(&str, &Str), &DeclaredResource> = FxHashMap::default();
        let mut found = Vec::new();
        let mut spans = FxHashSet::default();
        for resource in self.resources.iter().filter(|resource| resource.is_certain) {
            let earlier = *first.entry((resource.kind, &resource.name)).or_insert(resource);
            let body = |resource: &DeclaredResource| {
                let text = files.text(Span { start: resource.head.end, ..resource.statement });
                text.split_whitespace().collect::<String>()
            };
            if earlier.statement == resource.statement
                || body(earlier) == body(resource)
                || !spans.insert(resource.statement)
            {
                continue;
            }
            let message = format!("{} {:?} is declared twice", resource.kind, resource.name.to_text());
            found.push(
                Diagnostic::warning(Code::W0219, Stage::Graph, message)
                    .at_with(resource.head, "declared again here")
                    .label(earlier.head, "first declared here")
                    .help("declare it once; kind and name identify a resource"),
            );
        }
        found
    }
}

impl Lowering<'_> {
    /// Remembers the names of a resource.
    pub(crate) fn declare(&mut self, at: BuilderId, ast: &Ast, resource: &Resource, statement: Span, name: Operand) {
        let Some(kind) = kind(ast.name(resource.kind)) else { return };
        let Some(names) = self.constant_names(name).filter(|_| !resource.collect) else {
            self.declared.open.insert(kind.name);
            return;
        };
        let is_certain = self.is_top_builder(at) && may_conflict(ast, resource, kind);
        let head = resource.kind_span.to(ast.expr_span(resource.name));
        for name in names {
            self.declared.resources.push(DeclaredResource { kind: kind.name, name, statement, head, is_certain });
        }
    }

    /// Remembers an end of an edge.
    pub(crate) fn declare_end(&mut self, kind_name: &Arc<str>, name: Operand, span: Span) {
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
        EntryKind::Meta { property, .. } => matches!(&**ast.name(*property), "hidden" | "export" | "meta"),
        EntryKind::Field { .. } | EntryKind::Edge { .. } => false,
    });
    !has_own_rules && kind.merge.is_none()
}
