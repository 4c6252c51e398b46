//! The unify stage: types every definition and expression that the program uses (spec 02 §5).
//!
//! # Problem
//! A class is used by many includes, a file by many imports, a `func` by many calls, each with types of its own. Typing a
//! copy of the body per use, as mgmt does, takes exponential time when uses are nested.
//!
//! # Algorithm
//! Hindley-Milner inference over the resolved program, without expanding it:
//!
//! - The definitions of a scope are typed in dependency order, which the scope stage found, then its statements in source
//!   order. An expression is typed bottom-up, and each equation is solved at once by unification.
//! - A binding has one type for all its uses. The function of a `func` statement, a class and an imported file are
//!   *generic*: they are typed once and generalized to a scheme, and each call, include or import instantiates the scheme
//!   with fresh variables. So the time does not depend on how often, or how deeply nested, something is used.
//! - What only some instances of a class or file use is typed apart from it, and constrains these instances only
//!   ([`crate::infer::optional`], [`crate::infer::member`]).
//! - What cannot be decided yet waits as an obligation ([`crate::solver`]).
//! - A few rules depend on the syntax of an expression, not on its type ([`crate::infer::name_shape`]).
//!
//! # Invariant
//! After an error, the types involved become the error type, which is equal to every type. So one mistake is reported once.

mod parts;

use mcl_diagnostics::Diagnostic;
use rayon::prelude::*;

use crate::infer::reachable::reachable_with;
use crate::infer::{Inference, Part, Usage};
use crate::scoped::{DefId, Scoped};
use crate::typed::Typed;
use crate::unify::parts::{joined, parts};

/// Finds the types of everything that the program uses. Where an error was reported, types are missing
/// ([`crate::TypeId::UNTYPED`]).
#[must_use]
pub fn unify(scoped: Scoped) -> (Typed, Vec<Diagnostic>) {
    unify_part(scoped, |_, _| false)
}

/// Finds the types of a part of a program, which the rest of it uses: also those of the definitions for which `is_used` is true,
/// and of what they use.
#[must_use]
pub fn unify_part(scoped: Scoped, is_used: impl Fn(&Scoped, DefId) -> bool) -> (Typed, Vec<Diagnostic>) {
    if scoped.modules.is_empty() {
        return (Typed { scoped, ..Typed::default() }, Vec::new());
    }
    let used: Vec<DefId> = scoped.defs.keys().filter(|def| is_used(&scoped, *def)).collect();
    let usage = Usage::new(&scoped, reachable_with(&scoped, used));
    let infer = |part: &Part| {
        let mut inference = Inference::new(&scoped, &usage, part.clone());
        inference.infer_program();
        inference.finish()
    };
    if let Some(parts) = parts(&scoped, rayon::current_num_threads()) {
        let (tables, diagnostics): (Vec<_>, Vec<_>) = parts.par_iter().map(infer).unzip();
        // What is wrong may be worded in terms of the whole program.
        if diagnostics.iter().all(Vec::is_empty) {
            let tables = joined(&scoped, &parts, tables);
            return (tables.into_typed(scoped), Vec::new());
        }
    }
    let (tables, diagnostics) = infer(&Part::whole(&scoped));
    (tables.into_typed(scoped), diagnostics)
}

/// Whether a program is typed in parts.
#[cfg(test)]
pub(crate) fn is_divided(scoped: &Scoped, threads: usize) -> bool {
    parts(scoped, threads).is_some()
}
