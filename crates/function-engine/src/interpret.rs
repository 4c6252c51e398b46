//! Interpretation: builds the resource graph from the values of a program (spec 04 §3, spec 05 §2, spec 05 §3, spec 05 §4).
//!
//! There are two steps. First, each active statement is converted to resources and edges between names (`statement`): its
//! values are stored in parameters (`convert`), its meta parameters are set, and the result is validated. The conversion is
//! cached, and repeated only when a value of the statement changes. Second, the conversions are assembled to one graph in
//! source order (`assemble`): duplicates are merged or rejected, names are resolved, and cycles are detected.
//!
//! Interpretation reads the engine between two rounds and has no side effects: the same values give the same graph. Every
//! independent error is reported. Edges are resolved only if all resources are valid, and cycles are detected only if all
//! edges are.

mod assemble;
mod changes;
mod convert;
mod statement;
#[cfg(test)]
mod tests;
mod unknown;

use std::rc::Rc;
use std::sync::Arc;

use mcl_artifact::program::{Program, Statement};
use mcl_diagnostics::Diagnostic;
use resource_graph::{Resource, ResourceGraph, ResourceId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Engine;
use crate::ids::OutputId;
use crate::interpret::changes::Collector;
pub use crate::interpret::changes::{ChangedResource, GraphChanges};
use crate::interpret::statement::{ConvertedStatement, FieldTypes, is_unchanged};
use crate::interpret::unknown::{UnknownKinds, unknown_statement};
use crate::outputs::Output;

/// The cached conversion of a statement.
#[derive(Clone)]
struct CacheEntry {
    /// The engine's round in which a value of the statement last changed.
    changed: u64,
    /// The interpreter's round in which the statement was last active.
    seen: u32,
    /// The number of active statements before it in that round.
    position: u32,
    converted: Rc<ConvertedStatement>,
}

/// Builds the resource graphs of one program, converting only the statements that have changed since the last graph.
#[derive(Default)]
pub struct Interpreter {
    cache: FxHashMap<OutputId, CacheEntry>,
    /// The number of interpretations so far, which may overflow.
    round: u32,
    field_types: FieldTypes,
    /// The engine's round of the output that was interpreted last; `None` if that failed or was partial.
    interpreted: Option<u64>,
    /// The resources that more than one statement declares.
    repeated: FxHashSet<ResourceId>,
    /// The edges that are declared more than once.
    repeated_edges: FxHashSet<(ResourceId, ResourceId)>,
    /// The number of statements that were visited.
    #[cfg(test)]
    visited: usize,
}

impl Interpreter {
    /// Creates an interpreter with an empty cache.
    #[must_use]
    pub fn new() -> Interpreter {
        Interpreter::default()
    }

    /// Returns the resource graph of the engine's current values. The last round must have succeeded.
    ///
    /// # Errors
    /// The errors of resources and edges (R0201 to R0210), in source order, at most 100.
    pub fn interpret(&mut self, engine: &Engine) -> Result<ResourceGraph, Vec<Diagnostic>> {
        self.interpret_known(engine).map(|(graph, _)| graph)
    }

    /// Does the same as [`Interpreter::interpret`] after a round in which statements wait. Returns the graph of the others, and
    /// notes (R0107) about what is not in it: each statement that waits, the resources that receive a value from one, and the
    /// edges to either.
    ///
    /// # Errors
    /// Those of [`Interpreter::interpret`].
    pub fn interpret_known(&mut self, engine: &Engine) -> Result<(ResourceGraph, Vec<Diagnostic>), Vec<Diagnostic>> {
        let program: &Program = engine.program();
        self.interpreted = None;
        self.round = self.round.wrapping_add(1);
        let (round, field_types, cache) = (self.round, &mut self.field_types, &mut self.cache);
        let mut all: Vec<Rc<ConvertedStatement>> = Vec::with_capacity(cache.len());
        let mut unknown: Vec<Diagnostic> = Vec::new();
        let mut unknown_kinds = UnknownKinds::default();
        let note_unknown = |statement: &Statement, span| {
            unknown_kinds.add(program, statement);
            let note = unknown_statement(program, statement, span);
            if !unknown.contains(&note) {
                unknown.push(note);
            }
        };
        let visit = |output: Output<'_>| {
            let values = output.values();
            let entry = cache.entry(values.id()).or_insert_with(|| {
                let converted = Rc::new(convert(program, field_types, output));
                CacheEntry { changed: values.changed(), seen: round, position: 0, converted }
            });
            if entry.changed != values.changed() {
                let mut converted = convert(program, field_types, output);
                converted.share_unchanged(&entry.converted);
                (entry.changed, entry.converted) = (values.changed(), Rc::new(converted));
            }
            (entry.seen, entry.position) = (round, all.len() as u32);
            all.push(Rc::clone(&entry.converted));
        };
        engine.visit_outputs(visit, note_unknown);
        #[cfg(test)]
        {
            self.visited += all.len();
        }
        if cache.len() > all.len() {
            // Entries that were not visited belong to removed statements.
            cache.retain(|_, entry| entry.seen == round);
        }
        let is_partial = !unknown.is_empty();
        let assembled = assemble::assemble(&all, is_partial.then_some(&unknown_kinds))?;
        (self.repeated, self.repeated_edges) = (assembled.repeated, assembled.repeated_edges);
        self.interpreted = Some(engine.output_round()).filter(|round| *round > 0 && !is_partial);
        unknown.extend(assembled.notes);
        Ok((assembled.graph, unknown))
    }

    /// Returns what differs from the last graph and the changes after it, in time linear in the size of the statements that were
    /// evaluated, added and removed since. The last round must have succeeded.
    ///
    /// `None` if a resource is invalid or declared more than once, or if values are sent in another way:
    /// [`Interpreter::interpret`] returns the whole graph then, or the errors.
    pub fn changes(&mut self, engine: &Engine) -> Option<GraphChanges> {
        let outputs = engine.changed_outputs(self.interpreted.take()?)?;
        let mut collector = Collector::new(&self.repeated, &self.repeated_edges);
        for id in outputs.removed {
            if let Some(entry) = self.cache.remove(id) {
                collector.remove(&entry.converted)?;
            }
        }
        for output in outputs.present {
            #[cfg(test)]
            {
                self.visited += 1;
            }
            let values = output.values();
            let changed = values.changed();
            let Some(entry) = self.cache.get_mut(&values.id()) else {
                let converted = Rc::new(convert(engine.program(), &mut self.field_types, output));
                collector.add(&converted)?;
                let entry = CacheEntry { changed, seen: self.round, position: u32::MAX, converted };
                self.cache.insert(values.id(), entry);
                continue;
            };
            if entry.changed == changed {
                continue;
            }
            let mut converted = convert(engine.program(), &mut self.field_types, output);
            if converted.differs_in_values_only(&entry.converted) {
                converted.share_unchanged(&entry.converted);
                collector.change(entry.position, &entry.converted, &converted)?;
            } else {
                collector.remove(&entry.converted)?;
                collector.add(&converted)?;
            }
            (entry.changed, entry.converted) = (changed, Rc::new(converted));
        }
        let changes = collector.finish()?;
        self.interpreted = Some(engine.output_round());
        Some(changes)
    }
}

fn convert(program: &Program, field_types: &mut FieldTypes, output: Output<'_>) -> ConvertedStatement {
    match output {
        Output::Resource(resource, values) => statement::convert_resource(program, field_types, resource, values),
        Output::Edge { halves, span, values } => statement::convert_edges(program, halves, span, values),
    }
}

impl ConvertedStatement {
    /// Whether both declare the same valid resources and edges, perhaps with other values.
    fn differs_in_values_only(&self, old: &ConvertedStatement) -> bool {
        let is_same_id = |(a, b): (&Arc<Resource>, &Arc<Resource>)| a.id == b.id;
        self.errors.is_empty()
            && old.errors.is_empty()
            && self.edges == old.edges
            && self.resources.len() == old.resources.len()
            && self.resources.iter().zip(&old.resources).all(is_same_id)
    }

    /// Replaces the resources that did not change by those of the last conversion, which are in use elsewhere.
    fn share_unchanged(&mut self, old: &ConvertedStatement) {
        for (new, old) in self.resources.iter_mut().zip(&old.resources) {
            if is_unchanged(old, new) {
                *new = Arc::clone(old);
            }
        }
    }
}
