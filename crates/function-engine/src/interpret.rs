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
mod convert;
mod statement;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use mcl_artifact::program::{Program, Statement};
use mcl_diagnostics::{Code, Diagnostic, Span, Stage};
use resource_graph::ResourceGraph;
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::interpret::statement::{ConvertedStatement, FieldTypes};
use crate::outputs::{Output, OutputId};

/// The cached conversion of a statement.
#[derive(Clone)]
struct CacheEntry {
    /// The engine's round in which a value of the statement last changed.
    changed: u64,
    /// The interpreter's round in which the statement was last active.
    seen: u64,
    converted: Rc<ConvertedStatement>,
}

/// Builds the resource graphs of one program, converting only the statements that have changed since the last graph.
#[derive(Default)]
pub struct Interpreter {
    cache: FxHashMap<OutputId, CacheEntry>,
    /// Number of interpretations so far.
    round: u64,
    field_types: FieldTypes,
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

    /// Does the same as [`Interpreter::interpret`] after a round in which statements wait. Returns the graph of the others,
    /// without edges to resources that are not in it, and a note (R0107) for each statement that waits.
    ///
    /// # Errors
    /// Those of [`Interpreter::interpret`].
    pub fn interpret_known(&mut self, engine: &Engine) -> Result<(ResourceGraph, Vec<Diagnostic>), Vec<Diagnostic>> {
        let program: &Program = engine.program();
        self.round += 1;
        let (round, field_types, cache) = (self.round, &mut self.field_types, &mut self.cache);
        let mut all: Vec<Rc<ConvertedStatement>> = Vec::with_capacity(cache.len());
        let mut unknown: Vec<Diagnostic> = Vec::new();
        let note_unknown = |statement: &Statement, span| {
            let note = unknown_statement(program, statement, span);
            if !unknown.contains(&note) {
                unknown.push(note);
            }
        };
        let visit = |output: Output<'_>| {
            let (Output::Resource(_, values) | Output::Edge { values, .. }) = output;
            let mut convert = || {
                let converted = Rc::new(match output {
                    Output::Resource(resource, values) => {
                        statement::convert_resource(program, field_types, resource, values)
                    }
                    Output::Edge { halves, span, values } => statement::convert_edges(program, halves, span, values),
                });
                CacheEntry { changed: values.changed(), seen: round, converted }
            };
            let entry = cache.entry(values.id()).or_insert_with(&mut convert);
            if entry.changed != values.changed() {
                *entry = convert();
            }
            entry.seen = round;
            all.push(Rc::clone(&entry.converted));
        };
        engine.visit_known_outputs(visit, note_unknown);
        if cache.len() > all.len() {
            // Entries that were not visited belong to removed statements.
            cache.retain(|_, entry| entry.seen == round);
        }
        let graph = assemble::assemble(&all, !unknown.is_empty())?;
        Ok((graph, unknown))
    }
}

/// Returns the note for a statement whose values need the output of a command.
fn unknown_statement(program: &Program, statement: &Statement, span: Option<Span>) -> Diagnostic {
    let (what, span) = match statement {
        Statement::Resource(resource) => (format!("`{}`", program.strings[resource.kind]), Some(resource.span)),
        Statement::Edge { span, .. } => ("an edge".to_owned(), Some(*span)),
        Statement::If { .. } => ("what an `if` contains".to_owned(), span),
        Statement::For { .. } | Statement::ForKv { .. } => ("what a loop contains".to_owned(), span),
    };
    let message = format!("unknown until it is applied: {what}, which depends on the output of a command");
    Diagnostic::note(Code::R0107, Stage::Interpret, message)
        .maybe_at(span)
        .help("run the commands of functions with `--run-commands`")
}
