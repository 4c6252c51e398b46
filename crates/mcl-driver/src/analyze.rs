//! All stages, for those who ask questions about a program: its tokens, names and types are kept.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::{Diagnostic, Severity};
use mcl_fgraph::{Declarations, check_and_keep};
use mcl_lexer::Tokens;
use mcl_modules::{Loaded, UnitId};
use mcl_types::{DefId, Scoped};

use crate::allowances::apply_allowances;
use crate::payload::Checked;
use crate::stages::{add_diagnostics, interpolate, lex, parse, remove_consequences, scope, unify_part};

/// A program with all that the stages know of it.
#[derive(Debug)]
pub struct Analyzed {
    /// The sources with their tokens, names and types.
    pub program: Checked,
    /// What [`crate::compile`] reports of the program.
    pub diagnostics: Vec<Diagnostic>,
    /// The resources and edges of a program without errors, if they are known.
    pub declarations: Option<Declarations>,
}

/// Runs all stages and keeps what they know, also of a program with errors. Returns `None` if they are not wanted any more.
#[must_use]
pub fn analyze(loaded: Loaded, is_wanted: &dyn Fn() -> bool) -> Option<Analyzed> {
    let mut analyzed = run(loaded, |_, _| false, true, is_wanted)?;
    remove_consequences(&mut analyzed.diagnostics);
    apply_allowances(&analyzed.program.loaded.files, &mut analyzed.diagnostics, true);
    Some(analyzed)
}

/// Runs the stages for a part of a program, without what comments allow: its units have only some of their tokens. For the
/// definitions with `is_used`, see [`mcl_types::unify_part`]. What is wrong with the function graph is found if `has_graph`.
#[must_use]
pub fn analyze_part(loaded: Loaded, is_used: impl Fn(&Scoped, DefId) -> bool, has_graph: bool) -> Option<Analyzed> {
    run(loaded, is_used, has_graph, &|| true)
}

fn run(
    loaded: Loaded,
    is_used: impl Fn(&Scoped, DefId) -> bool,
    has_graph: bool,
    is_wanted: &dyn Fn() -> bool,
) -> Option<Analyzed> {
    let mut diagnostics = lex(&loaded);
    let tokens: PrimaryMap<UnitId, Arc<Tokens>> = loaded.units.values().map(|unit| Arc::clone(&unit.tokens)).collect();
    let (trees, found) = parse(loaded);
    add_diagnostics(&mut diagnostics, found);
    let (trees, found) = interpolate(trees);
    add_diagnostics(&mut diagnostics, found);
    if !is_wanted() {
        return None;
    }
    let (resolved, found) = scope(trees);
    add_diagnostics(&mut diagnostics, found);
    let (mut program, found) = unify_part(resolved, is_used);
    add_diagnostics(&mut diagnostics, found);
    if !is_wanted() {
        return None;
    }
    let mut declarations = None;
    if has_graph && !diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        let (found, declared) = check_and_keep(&mut program.typed, &program.loaded);
        declarations = declared;
        add_diagnostics(&mut diagnostics, found);
    }
    for (unit, tokens) in program.loaded.units.values_mut().zip(tokens.into_iter().map(|(_, tokens)| tokens)) {
        unit.tokens = tokens;
    }
    Some(Analyzed { program, diagnostics, declarations })
}
