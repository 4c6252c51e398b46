//! Lints about the names of all resources: edges to resources that do not exist, edges that form a cycle, and resources that are
//! declared twice.
//!
//! They concern the whole program, of which a part knows only its own statements, so each part collects what it declares.

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::HashTable;
use mcl_diagnostics::{Code, Diagnostic, Files, Span, Stage};
use mcl_value::Str;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::certain_edges::{CertainEdge, cycle};

/// Maximum number of suggestions per program: each looks at the names of all resources of a kind.
const MAX_SUGGESTIONS: u32 = 50;

/// The names of the resources and edges of a program, or of a part of it.
#[derive(Debug, Default)]
pub(crate) struct DeclaredNames {
    pub(crate) resources: Vec<DeclaredResource>,
    pub(crate) edges: Vec<EdgeEnd>,
    pub(crate) certain_edges: Vec<CertainEdge>,
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

impl DeclaredResource {
    fn hash(&self) -> u64 {
        hash(self.kind, &self.name)
    }

    /// Whether two declarations are of one resource.
    fn is_same(&self, other: &DeclaredResource) -> bool {
        self.kind == other.kind && self.name == other.name
    }
}

fn hash(kind: &str, name: &Str) -> u64 {
    FxBuildHasher.hash_one((kind, name))
}

/// One end of an edge whose name is constant.
#[derive(Debug)]
pub(crate) struct EdgeEnd {
    pub(crate) kind: &'static str,
    pub(crate) name: Str,
    pub(crate) span: Span,
}

/// What is found about the names of a program.
pub(crate) struct NameLints {
    pub(crate) found: Vec<Diagnostic>,
    /// Whether there are edges to resources that do not exist.
    has_missing_ends: bool,
    /// Whether two statements declare one resource, equal or not.
    has_duplicates: bool,
}

impl DeclaredNames {
    /// Reserves memory for what others declare.
    pub(crate) fn reserve<'n>(&mut self, others: impl Iterator<Item = &'n DeclaredNames> + Clone) {
        self.resources.reserve_exact(others.clone().map(|other| other.resources.len()).sum());
        self.edges.reserve_exact(others.clone().map(|other| other.edges.len()).sum());
        self.certain_edges.reserve_exact(others.map(|other| other.certain_edges.len()).sum());
    }

    /// Adds what other statements declare.
    pub(crate) fn extend(&mut self, other: DeclaredNames) {
        self.resources.extend(other.resources);
        self.edges.extend(other.edges);
        self.certain_edges.extend(other.certain_edges);
        self.open.extend(other.open);
    }

    /// Returns the lints of the whole program.
    pub(crate) fn lints(&self, files: &Files) -> NameLints {
        let mut found = self.missing_ends();
        let has_missing_ends = !found.is_empty();
        found.extend(cycle(&self.certain_edges));
        let (duplicates, has_duplicates) = self.duplicates(files);
        found.extend(duplicates);
        NameLints { found, has_missing_ends, has_duplicates }
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

    /// Equal declarations become one resource. Whether values are equal is seen in the text alone. Also returns whether two
    /// statements declare one resource, equal or not.
    fn duplicates(&self, files: &Files) -> (Vec<Diagnostic>, bool) {
        // A program has many resources, so the table has only their positions.
        let mut first: HashTable<u32> = HashTable::with_capacity(self.resources.len());
        let hash = |at: u32| self.resources[at as usize].hash();
        let mut bodies = Bodies { files, ids: FxHashMap::default(), of_statements: FxHashMap::default() };
        let mut found = Vec::new();
        let mut spans = FxHashSet::default();
        let mut are_there = false;
        for (at, resource) in (0..).zip(&self.resources).filter(|(_, resource)| resource.is_certain) {
            let is_same = |other: &u32| self.resources[*other as usize].is_same(resource);
            let earlier = *first.entry(resource.hash(), is_same, |other| hash(*other)).or_insert(at).get();
            let earlier = &self.resources[earlier as usize];
            are_there |= earlier.statement != resource.statement;
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
        (found, are_there)
    }
}

/// A summary of the resources and edges of a program, or of a part of it: whether lints about several of them can change when
/// a part does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// How often each resource is declared, by the hash of its kind and name.
    resources: FxHashMap<u64, u32>,
    /// The same for those that are declared whenever the program runs.
    certain: FxHashMap<u64, u32>,
    /// How many edges each resource has.
    edges: FxHashMap<u64, u32>,
    /// How often each edge is there whenever the program runs, by the hash of its ends.
    certain_edges: FxHashMap<u64, u32>,
    /// The kinds of resources whose names are computed when the program runs.
    open: FxHashSet<&'static str>,
    /// Whether there are edges to resources that do not exist.
    has_missing_ends: bool,
    /// Whether two statements declare one resource, equal or not.
    has_duplicates: bool,
}

impl Declarations {
    pub(crate) fn new(names: DeclaredNames, lints: &NameLints) -> Declarations {
        let NameLints { has_missing_ends, has_duplicates, .. } = *lints;
        let mut declarations =
            Declarations { open: names.open, has_missing_ends, has_duplicates, ..Declarations::default() };
        for resource in names.resources {
            let key = resource.hash();
            *declarations.resources.entry(key).or_default() += 1;
            if resource.is_certain {
                *declarations.certain.entry(key).or_default() += 1;
            }
        }
        for edge in names.edges {
            *declarations.edges.entry(hash(edge.kind, &edge.name)).or_default() += 1;
        }
        for edge in names.certain_edges {
            *declarations.certain_edges.entry(edge.hash()).or_default() += 1;
        }
        declarations
    }

    /// Returns the declarations of a program after those of a part of it have become others. Returns `None` if lints about several
    /// resources may change.
    #[must_use]
    pub fn with_part_replaced(mut self, old: &Declarations, new: &Declarations) -> Option<Declarations> {
        let has_same_edges = old.edges == new.edges && old.certain_edges == new.certain_edges;
        if self.has_duplicates || old.open != new.open || !has_same_edges {
            return None;
        }
        let mut changed: FxHashSet<u64> = FxHashSet::default();
        for (before, after) in [(&old.resources, &new.resources), (&old.certain, &new.certain)] {
            changed.extend(before.keys().chain(after.keys()).filter(|key| before.get(key) != after.get(key)));
        }
        if self.has_missing_ends && !changed.is_empty() {
            return None;
        }
        let count = |of: &FxHashMap<u64, u32>, key: u64| of.get(&key).copied().unwrap_or(0);
        for key in changed {
            let elsewhere = count(&self.resources, key).checked_sub(count(&old.resources, key))?;
            if elsewhere > 0 || count(&new.resources, key) > 1 || self.edges.contains_key(&key) {
                return None;
            }
            for (all, of_part) in [(&mut self.resources, &new.resources), (&mut self.certain, &new.certain)] {
                all.remove(&key);
                all.extend(of_part.get(&key).map(|count| (key, *count)));
            }
        }
        Some(self)
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

#[cfg(test)]
mod tests {
    use mcl_diagnostics::{FileId, Files, Span};
    use mcl_value::Str;

    use super::{Declarations, DeclaredNames, DeclaredResource, EdgeEnd};

    /// Each resource is a statement of its own.
    fn declarations(resources: &[&str], edges: &[&str]) -> Declarations {
        let span = |at: usize| Span::new(FileId::MAIN, at as u32, at as u32 + 1);
        let resource = |(at, name): (usize, &&str)| DeclaredResource {
            kind: "test",
            name: Str::from(*name),
            statement: span(at),
            head: span(at),
            is_certain: true,
        };
        let edge = |(at, name): (usize, &&str)| EdgeEnd { kind: "test", name: Str::from(*name), span: span(at) };
        let names = DeclaredNames {
            resources: resources.iter().enumerate().map(resource).collect(),
            edges: edges.iter().enumerate().map(edge).collect(),
            ..DeclaredNames::default()
        };
        let lints = names.lints(&Files::default());
        Declarations::new(names, &lints)
    }

    #[test]
    fn names_change_as_long_as_nothing_else_has_them() {
        let all = declarations(&["a", "b", "c"], &["b"]);
        let replaced = |old: &[&str], new: &[&str]| {
            all.clone().with_part_replaced(&declarations(old, &[]), &declarations(new, &[]))
        };
        assert_eq!(replaced(&["a"], &["a"]), Some(all.clone()));
        assert_eq!(replaced(&["a"], &["d"]), Some(declarations(&["d", "b", "c"], &["b"])));
        assert_eq!(replaced(&["a"], &[]), Some(declarations(&["b", "c"], &["b"])));
        assert_eq!(replaced(&["a"], &["c"]), None, "declared twice");
        assert_eq!(replaced(&["a"], &["d", "d"]), None, "declared twice");
        assert_eq!(replaced(&["b"], &["d"]), None, "an edge leads there");
    }

    #[test]
    fn what_is_reported_already_is_left_to_the_whole() {
        let missing = declarations(&["a"], &["z"]);
        let part = |names: &[&str]| declarations(names, &[]);
        assert_eq!(missing.clone().with_part_replaced(&part(&["a"]), &part(&["a"])), Some(missing.clone()));
        assert_eq!(missing.with_part_replaced(&part(&["a"]), &part(&["b"])), None);
        assert_eq!(declarations(&["a", "a"], &[]).with_part_replaced(&part(&[]), &part(&[])), None);
        assert_eq!(part(&["a"]).with_part_replaced(&part(&[]), &declarations(&[], &["a"])), None);
    }
}
