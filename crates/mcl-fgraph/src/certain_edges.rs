//! W0224: edges that are always there and form a cycle, with which the program cannot run.

use std::hash::BuildHasher;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use mcl_value::Str;
use resource_graph::{Cycle, ResourceId, topological_order};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Maximum number of spans in the warning, as in the error of the runtime.
const MAX_LABELS: usize = 10;

/// A kind and a constant name.
pub(crate) type ConstantId = (&'static str, Str);

/// An edge that is there whenever the program runs, between two resources with constant names.
#[derive(Debug)]
pub(crate) struct CertainEdge {
    pub(crate) from: ConstantId,
    pub(crate) to: ConstantId,
    pub(crate) span: Span,
}

impl CertainEdge {
    pub(crate) fn hash(&self) -> u64 {
        FxBuildHasher.hash_one((&self.from, &self.to))
    }
}

/// Returns a warning about one cycle, if there is one.
pub(crate) fn cycle(edges: &[CertainEdge]) -> Option<Diagnostic> {
    let mut numbers: FxHashMap<&ConstantId, u32> = FxHashMap::default();
    let mut ids: Vec<&ConstantId> = Vec::new();
    let mut number = |id| {
        *numbers.entry(id).or_insert_with(|| {
            ids.push(id);
            ids.len() as u32 - 1
        })
    };
    let pairs: Vec<(u32, u32)> = edges.iter().map(|edge| (number(&edge.from), number(&edge.to))).collect();
    let found = topological_order(ids.len(), pairs.iter().copied()).err()?;
    let next = found.iter().cycle().skip(1);
    let steps = found.iter().copied().zip(next.copied());
    let mut first: FxHashMap<(u32, u32), Span> = FxHashMap::default();
    for (pair, edge) in pairs.iter().zip(edges) {
        first.entry(*pair).or_insert(edge.span);
    }
    let mut spans: Vec<Span> = steps.filter_map(|step| first.get(&step).copied()).collect();
    spans.sort_unstable();
    spans.dedup();
    let (last, others) = spans.split_last()?;
    let id = |number: &u32| {
        let (kind, name) = ids[*number as usize];
        ResourceId::new(*kind, name.to_text())
    };
    let mut path: Vec<ResourceId> = found.iter().map(id).collect();
    // As the runtime does.
    let first = (0..path.len()).min_by_key(|at| &path[*at]).unwrap_or(0);
    path.rotate_left(first);
    let message = format!("dependency cycle: {}", Cycle { vertices: Vec::new(), path });
    let warning = Diagnostic::warning(Code::W0224, Stage::Graph, message).at(*last);
    let labels = others.iter().take(MAX_LABELS);
    let warning = labels.fold(warning, |warning, span| warning.label(*span, "part of the cycle"));
    Some(warning.help("remove one of these edges: with them, the program stops as soon as it runs"))
}
