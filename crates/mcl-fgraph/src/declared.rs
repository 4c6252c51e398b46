//! Lints about the names of all resources: edges to resources that do not exist, and resources that are declared twice.
//!
//! Both concern the whole program, of which a part knows only its own statements, so each part collects what it declares.

use std::borrow::Cow;

use mcl_diagnostics::{Code, Diagnostic, Files, Span, Stage};
use mcl_value::Str;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of suggestions per program: each looks at the names of all resources of a kind.
const MAX_SUGGESTIONS: u32 = 50;

/// The names of the resources and edges of a program, or of a part of it.
#[derive(Debug, Default)]
pub(crate) struct DeclaredNames {
    pub(crate) resources: Vec<DeclaredResource>,
    pub(crate) edges: Vec<EdgeEnd>,
    /// The kinds of resources whose names are computed when the program runs.
    pub(crate) open: FxHashSet<&'static str>,
}

/// A resource whose name is constant.
#[derive(Debug)]
pub(crate) struct DeclaredResource {
    pub(crate) kind: &'static str,
    pub(crate) name: Str,
    pub(crate) statement: Span,
    /// The kind and the name.
    pub(crate) head: Span,
    /// Whether it is declared whenever the program runs, and like no other.
    pub(crate) is_certain: bool,
}

/// One end of an edge whose name is constant.
#[derive(Debug)]
pub(crate) struct EdgeEnd {
    pub(crate) kind: &'static str,
    pub(crate) name: Str,
    pub(crate) span: Span,
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
        let mut of_kinds: FxHashMap<&str, Vec<Cow<'_, str>>> = FxHashMap::default();
        let mut suggestions = 0;
        let warning = |end: &EdgeEnd| {
            let name = end.name.to_text();
            let message = format!("edge to a resource that does not exist: {} {name:?}", end.kind);
            let warning = Diagnostic::warning(Code::W0216, Stage::Graph, message).at(end.span);
            suggestions += 1;
            let near = if suggestions <= MAX_SUGGESTIONS {
                let of_kind = of_kinds.entry(end.kind).or_insert_with(|| self.names_of(end.kind).collect());
                mcl_diagnostics::nearest(&name, of_kind.iter().map(|name| &**name))
            } else {
                None
            };
            match near {
                Some(near) => warning.help(format!("did you mean {near:?}?")),
                None => warning.help("declare it, or remove the edge"),
            }
        };
        missing.map(warning).collect()
    }

    fn names_of(&self, kind: &str) -> impl Iterator<Item = Cow<'_, str>> {
        self.resources.iter().filter(move |resource| resource.kind == kind).map(|resource| resource.name.to_text())
    }

    /// Equal declarations become one resource. Whether values are equal is seen in the text alone.
    fn duplicates(&self, files: &Files) -> Vec<Diagnostic> {
        let mut first: FxHashMap<(&str, &Str), &DeclaredResource> = FxHashMap::default();
        let mut bodies = Bodies { files, ids: FxHashMap::default(), of_statements: FxHashMap::default() };
        let mut found = Vec::new();
        let mut spans = FxHashSet::default();
        for resource in self.resources.iter().filter(|resource| resource.is_certain) {
            let earlier = *first.entry((resource.kind, &resource.name)).or_insert(resource);
            if earlier.statement == resource.statement
                || bodies.id(earlier) == bodies.id(resource)
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

/// The bodies of the resources that are compared. Two statements may declare many names, so each text is read once.
struct Bodies<'a> {
    files: &'a Files,
    /// Equal texts without whitespace have one id.
    ids: FxHashMap<String, usize>,
    of_statements: FxHashMap<Span, usize>,
}

impl Bodies<'_> {
    fn id(&mut self, resource: &DeclaredResource) -> usize {
        let Bodies { files, ids, of_statements } = self;
        *of_statements.entry(resource.statement).or_insert_with(|| {
            let text = files.text(Span { start: resource.head.end, ..resource.statement });
            let next = ids.len();
            *ids.entry(text.split_whitespace().collect()).or_insert(next)
        })
    }
}
