//! All stages, for those who ask questions about a program: its tokens, names and types are kept.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::{Diagnostic, Severity};
use mcl_lexer::Tokens;
use mcl_modules::{Loaded, UnitId};

use crate::allowances::apply_allowances;
use crate::payload::Checked;
use crate::stages::{add_diagnostics, check_graph, interpolate, lex, parse, remove_consequences, scope, unify};

/// A program with all that the stages know of it.
#[derive(Debug)]
pub struct Analyzed {
    /// The sources with their tokens, names and types.
    pub program: Checked,
    /// What [`crate::compile`] reports of the program.
    pub diagnostics: Vec<Diagnostic>,
}

/// Runs all stages and keeps what they know, also of a program with errors.
#[must_use]
pub fn analyze(loaded: Loaded) -> Analyzed {
    let mut diagnostics = lex(&loaded);
    let tokens: PrimaryMap<UnitId, Arc<Tokens>> = loaded.units.values().map(|unit| Arc::clone(&unit.tokens)).collect();
    let (trees, found) = parse(loaded);
    add_diagnostics(&mut diagnostics, found);
    let (trees, found) = interpolate(trees);
    add_diagnostics(&mut diagnostics, found);
    let (resolved, found) = scope(trees);
    add_diagnostics(&mut diagnostics, found);
    let (mut program, found) = unify(resolved);
    add_diagnostics(&mut diagnostics, found);
    if !diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        add_diagnostics(&mut diagnostics, check_graph(program.clone()));
    }
    remove_consequences(&mut diagnostics);
    apply_allowances(&program.loaded.files, &mut diagnostics, true);
    for (unit, tokens) in program.loaded.units.values_mut().zip(tokens.into_iter().map(|(_, tokens)| tokens)) {
        unit.tokens = tokens;
    }
    Analyzed { program, diagnostics }
}
