//! One function a stage, and the chain of them.

use std::sync::Arc;

use mcl_artifact::{ArtifactStage, program::Program};
use mcl_diagnostics::{Diagnostic, FileId, Severity, Span, Stage};
use mcl_fgraph::Options;
use mcl_lexer::{Tokens, lex_diagnostics};
use mcl_modules::{Loaded, Unit};
use mcl_parser::ast::Ast;
use mcl_types::{DefId, Scoped};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::allowances::apply_allowances;
use crate::payload::{Checked, Payload, Resolved, Trees};

/// Returns the errors of the lexer in all files, and the lints of their metadata. Loading has already split the files into
/// tokens, to find the imports.
#[must_use]
pub fn lex(loaded: &Loaded) -> Vec<Diagnostic> {
    let files = distinct_files(loaded);
    let errors = files.par_iter().flat_map_iter(|unit| lex_diagnostics(unit.file, text(loaded, unit), &unit.tokens));
    errors.chain(loaded.warnings.par_iter().cloned()).collect()
}

/// Parses all files, and runs the init checks.
#[must_use]
pub fn parse(mut loaded: Loaded) -> (Trees, Vec<Diagnostic>) {
    let parsed: Vec<_> = distinct_files(&loaded)
        .par_iter()
        .map(|unit| {
            let mut parsed = mcl_parser::parse(unit.file, text(&loaded, unit), &unit.tokens);
            let mismatches = mcl_types::check_annotated_literals(&parsed.ast);
            if !mismatches.is_empty() {
                // Lints are for files without errors of this stage.
                parsed.diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
            }
            parsed.diagnostics.extend(mismatches);
            parsed.diagnostics.extend(mcl_parser::check_ast(&parsed.ast));
            parsed.diagnostics.extend(mcl_types::check_meta_parameters(&parsed.ast));
            parsed
        })
        .collect();
    let mut trees: FxHashMap<FileId, Arc<Ast>> = FxHashMap::default();
    let mut diagnostics = Vec::new();
    for parsed in parsed {
        diagnostics.extend(parsed.diagnostics);
        trees.insert(parsed.ast.file, Arc::new(parsed.ast));
    }
    let trees = loaded.units.values().map(|unit| Arc::clone(&trees[&unit.file])).collect();
    let nothing = Arc::new(Tokens::default());
    for unit in loaded.units.values_mut() {
        unit.tokens = Arc::clone(&nothing);
    }
    (Trees { loaded, trees }, diagnostics)
}

/// Expands strings and nests classes.
#[must_use]
pub fn interpolate(program: Trees) -> (Trees, Vec<Diagnostic>) {
    let units: Vec<FileId> = program.trees.values().map(|tree| tree.file).collect();
    let mut seen = FxHashSet::default();
    let mut files = Vec::from(program.trees);
    files.retain(|tree| seen.insert(tree.file));
    let done: Vec<(Ast, Vec<Diagnostic>)> =
        files.into_par_iter().map(|tree| mcl_parser::interpolate(Arc::unwrap_or_clone(tree))).collect();
    let mut trees: FxHashMap<FileId, Arc<Ast>> = FxHashMap::default();
    let mut diagnostics = Vec::new();
    for (tree, found) in done {
        diagnostics.extend(found);
        trees.insert(tree.file, Arc::new(tree));
    }
    let trees = units.iter().map(|file| Arc::clone(&trees[file])).collect();
    (Trees { loaded: program.loaded, trees }, diagnostics)
}

/// Resolves names.
#[must_use]
pub fn scope(program: Trees) -> (Resolved, Vec<Diagnostic>) {
    let (scoped, diagnostics) = mcl_types::scope(&program.loaded, program.trees);
    (Resolved { loaded: program.loaded, scoped }, diagnostics)
}

/// Infers types.
#[must_use]
pub fn unify(program: Resolved) -> (Checked, Vec<Diagnostic>) {
    unify_part(program, |_, _| false)
}

/// Lowers a program without errors to a function graph.
#[must_use]
pub fn fgraph(program: Checked) -> (Option<Box<Program>>, Vec<Diagnostic>) {
    match mcl_fgraph::lower(program.typed, &program.loaded, Options::default()) {
        Ok(lowered) => (Some(Box::new(lowered.program)), lowered.warnings),
        Err(diagnostics) => (None, diagnostics),
    }
}

/// Infers the types of a part of a program; see [`mcl_types::unify_part`].
#[must_use]
pub fn unify_part(program: Resolved, is_used: impl Fn(&Scoped, DefId) -> bool) -> (Checked, Vec<Diagnostic>) {
    let (typed, mut diagnostics) = mcl_types::unify_part(program.scoped, &is_used);
    if diagnostics.is_empty() {
        diagnostics = mcl_types::unused_type_errors(&typed.scoped, &program.loaded, is_used);
    }
    (Checked { loaded: program.loaded, typed }, diagnostics)
}

/// Returns what lowering finds in a program without errors, without its result.
#[must_use]
pub fn check_graph(program: Checked) -> Vec<Diagnostic> {
    mcl_fgraph::check(program.typed, &program.loaded)
}

impl Payload {
    /// Runs the next stage. Returns `None` after the last one, and if the stage has no output.
    #[must_use]
    pub fn next(self) -> (Option<Payload>, Vec<Diagnostic>) {
        fn with<T>(make: fn(T) -> Payload, (value, found): (T, Vec<Diagnostic>)) -> (Option<Payload>, Vec<Diagnostic>) {
            (Some(make(value)), found)
        }
        match self {
            Payload::Tokens(loaded) => with(Payload::Ast, parse(loaded)),
            Payload::Ast(trees) => with(Payload::Interpolated, interpolate(trees)),
            Payload::Interpolated(trees) => with(Payload::Scoped, scope(trees)),
            Payload::Scoped(resolved) => with(Payload::Typed, unify(resolved)),
            Payload::Typed(checked) => {
                let (program, found) = fgraph(checked);
                (program.map(Payload::Fgraph), found)
            }
            Payload::Fgraph(_) => (None, Vec::new()),
        }
    }
}

/// The diagnostics of a program, and its artifacts if it has no errors.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The errors and lints of all stages, in the order of the stages.
    pub diagnostics: Vec<Diagnostic>,
    /// The requested artifacts in the order of the stages; empty if there are errors.
    pub artifacts: Vec<(ArtifactStage, Vec<u8>)>,
}

/// Runs all stages. Errors do not end the chain, so that all are found; only the function graph needs a program without
/// errors. `between` is called between two stages, when the input of the first one has been dropped.
#[must_use]
pub fn compile(loaded: Loaded, wanted: &[ArtifactStage], between: impl Fn()) -> Compiled {
    let files = loaded.files.clone();
    let mut compiled = Compiled { diagnostics: lex(&loaded), artifacts: Vec::new() };
    let mut next = Some(Payload::Tokens(loaded));
    while let Some(payload) = next {
        let failed = compiled.diagnostics.iter().any(|d| d.severity == Severity::Error);
        if wanted.contains(&payload.stage()) && !failed {
            compiled.artifacts.push((payload.stage(), payload.write()));
        }
        if failed && payload.stage() == ArtifactStage::Typed {
            break;
        }
        let (following, found) = match payload {
            Payload::Typed(checked) if !wanted.contains(&ArtifactStage::Fgraph) => (None, check_graph(checked)),
            payload => payload.next(),
        };
        add_diagnostics(&mut compiled.diagnostics, found);
        next = following;
        if next.is_some() {
            between();
        }
    }
    if compiled.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        compiled.artifacts.clear();
    }
    remove_consequences(&mut compiled.diagnostics);
    apply_allowances(&files, &mut compiled.diagnostics, true);
    compiled
}

/// Removes lints about names, and about the types of what is unused, from the diagnostics of a program with errors, which may
/// contain the uses that are missed.
pub(crate) fn remove_consequences(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        let is_about_uses = |stage: Stage| matches!(stage, Stage::Scope | Stage::Unify);
        diagnostics.retain(|found| found.severity == Severity::Error || !is_about_uses(found.stage));
    }
}

/// Adds the diagnostics of a stage, and removes those of earlier stages that are consequences of them.
pub fn add_diagnostics(diagnostics: &mut Vec<Diagnostic>, found: Vec<Diagnostic>) {
    let mut covers: Vec<(Span, Stage)> = found.iter().filter_map(|later| Some((later.covers?, later.stage))).collect();
    covers.sort_by_key(|(span, _)| (span.file, span.start));
    diagnostics.retain(|earlier| {
        let Some(span) = earlier.span else { return true };
        let next = covers.partition_point(|(cover, _)| (cover.file, cover.start) <= (span.file, span.start));
        let cover = next.checked_sub(1).map(|last| covers[last]);
        !cover.is_some_and(|(cover, stage)| cover.file == span.file && span.end <= cover.end && earlier.stage < stage)
    });
    diagnostics.extend(found);
}

/// Returns one unit per file: a file that belongs to two modules is lexed and parsed once.
fn distinct_files(loaded: &Loaded) -> Vec<&Unit> {
    let mut seen = FxHashSet::default();
    loaded.units.values().filter(|unit| seen.insert(unit.file)).collect()
}

fn text<'a>(loaded: &'a Loaded, unit: &Unit) -> &'a str {
    loaded.files.get(unit.file).map_or("", |file| &file.text)
}
