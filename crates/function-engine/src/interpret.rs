//! Interpretation: from the values of a program to its resource graph (spec 04 §3, spec 05 §§2-4).
//!
//! Two steps. First each live statement by itself becomes resources and edges between names (`statement`): its values are
//! stored in parameters (`convert`), its meta parameters set, the result validated. That is remembered, and done
//! again only for statements of which a value changed. Then all of it becomes one graph in the order of the source
//! (`assemble`): duplicates are merged or refused, names are looked up, cycles are found.
//!
//! Interpretation reads the engine between two rounds, so all values are of one moment, and it changes nothing: the same
//! values give the same graph. Every independent error is reported; edges are looked at only when all resources are
//! there, and cycles only when all edges are.

mod assemble;
mod convert;
mod statement;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use mcl_artifact::program::Program;
use mcl_diagnostics::Diagnostic;
use resource_graph::ResourceGraph;
use rustc_hash::FxHashMap;

use crate::interpret::statement::{Built, Schemas};
use crate::{Engine, Output, OutputId};

/// What a statement became.
#[derive(Clone)]
struct Known {
    /// The engine's round in which a value of it last changed.
    changed: u64,
    /// When it was last seen.
    seen: u64,
    built: Rc<Built>,
}

/// Makes resource graphs of one program, again and again.
#[derive(Default)]
pub struct Interpreter {
    built: FxHashMap<OutputId, Known>,
    /// How often it was called.
    round: u64,
    schemas: Schemas,
}

impl Interpreter {
    /// An interpreter that has seen nothing yet.
    #[must_use]
    pub fn new() -> Interpreter {
        Interpreter::default()
    }

    /// The resource graph of the engine's present values; the last round must have been without errors.
    ///
    /// # Errors
    /// What is wrong with the resources or edges, in the order of the source.
    pub fn interpret(&mut self, engine: &Engine) -> Result<ResourceGraph, Vec<Diagnostic>> {
        let program: &Program = engine.program();
        self.round += 1;
        let (round, schemas, known) = (self.round, &mut self.schemas, &mut self.built);
        let mut all: Vec<Rc<Built>> = Vec::with_capacity(known.len());
        engine.visit_outputs(|output| {
            let (Output::Resource(_, values) | Output::Edge { values, .. }) = output;
            let mut build = || {
                let built = Rc::new(match output {
                    Output::Resource(resource, values) => {
                        statement::build_resources(program, schemas, resource, values)
                    }
                    Output::Edge { halves, span, values } => statement::build_edges(program, halves, span, values),
                });
                Known { changed: values.changed(), seen: round, built }
            };
            let known = known.entry(values.id()).or_insert_with(&mut build);
            if known.changed != values.changed() {
                *known = build();
            }
            known.seen = round;
            all.push(Rc::clone(&known.built));
        });
        if known.len() > all.len() {
            // What was not seen belongs to statements that are gone.
            known.retain(|_, known| known.seen == round);
        }
        assemble::assemble(&all)
    }
}
