//! The warnings of lowering, without its result.
//!
//! The statements of the top level are lowered in parts, each from an empty state, several at a time, and the result of each
//! is dropped when its warnings are known. A definition that several parts use is lowered in each of them; if that happens
//! often, the rest is not divided further than there are threads.
//!
//! The warnings do not depend on how a program is divided. If anything else is found, an error or a limit that counts for
//! the whole program, the program is lowered as a whole.

use std::sync::Arc;

use cranelift_entity::EntitySet;
use mcl_diagnostics::Diagnostic;
use mcl_modules::Loaded;
use mcl_parser::ast::{Stmt, StmtId};
use mcl_types::{DefId, TypeTable, Typed};
use rayon::prelude::*;

use crate::declared::Declarations;
use crate::emit::EVALUATION_BUDGET_NODES;
use crate::lower::Lowering;
use crate::options::Options;
use crate::pool::MAX_TYPE_PARTS;
use crate::program::lower;
use crate::warnings::Warnings;
use crate::{expansion, sensitive_commands};

/// A part has at least this many statements.
const MIN_STATEMENTS: usize = 100;

/// A program has at most this many parts for each thread. A small part takes little memory.
const PARTS_PER_THREAD: usize = 512;

/// Returns the errors, or else the warnings, that [`lower`] finds in a typed program without errors.
#[must_use]
pub fn check(mut typed: Typed, loaded: &Loaded) -> Vec<Diagnostic> {
    match inspect(&mut typed, loaded) {
        Some(warnings) => {
            // What is left to do needs memory, and no program.
            drop(typed);
            warnings.into_diagnostics(&loaded.files)
        }
        None => lower_for_findings(typed, loaded),
    }
}

/// Returns what [`check`] does, and keeps the program. Names that are declared are known unless the program had to be lowered as
/// a whole.
#[must_use]
pub fn check_and_keep(typed: &mut Typed, loaded: &Loaded) -> (Vec<Diagnostic>, Option<Declarations>) {
    match inspect(typed, loaded) {
        Some(warnings) => {
            let (warnings, declarations) = warnings.into_diagnostics_and_declarations(&loaded.files);
            (warnings, Some(declarations))
        }
        None => (lower_for_findings(typed.clone(), loaded), None),
    }
}

fn lower_for_findings(typed: Typed, loaded: &Loaded) -> Vec<Diagnostic> {
    match lower(typed, loaded, Options::default()) {
        Ok(lowered) => lowered.warnings,
        Err(errors) => errors,
    }
}

/// Returns `None` if the program must be lowered as a whole. Its types are shared for a while.
fn inspect(typed: &mut Typed, loaded: &Loaded) -> Option<Warnings> {
    let types = std::mem::take(&mut typed.types).into_base();
    let warnings = check_in_parts(typed, &types, loaded);
    typed.types = Arc::unwrap_or_clone(types);
    warnings
}

/// What the lowering of a part found.
struct Part {
    warnings: Warnings,
    /// The number of statements that it expanded to.
    statements: u64,
    used_budget: u64,
    /// The number of parts that its types have.
    type_parts: u64,
    /// The definitions of the top level that were lowered; none for [`Definitions::Drop`].
    definitions: EntitySet<DefId>,
}

/// Whether a part remembers the definitions that it lowered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Definitions {
    Keep,
    Drop,
}

/// Returns `None` if the program must be lowered as a whole.
fn check_in_parts(typed: &Typed, types: &Arc<TypeTable>, loaded: &Loaded) -> Option<Warnings> {
    let scoped = &typed.scoped;
    if expansion::check(scoped).is_err() || scoped.builtins.iter().any(|name| name == sensitive_commands::MARK) {
        return None;
    }
    let root = scoped.root();
    let ast = scoped.ast_of(root);
    let is_definition = |stmt: &StmtId| {
        matches!(ast.stmt(*stmt), Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class(_) | Stmt::Import(_))
    };
    let statements: Vec<StmtId> = scoped.scope(root).body.iter().copied().filter(|stmt| !is_definition(stmt)).collect();
    let check_all = |parts: &[&[StmtId]], definitions: Definitions| -> Option<Vec<Part>> {
        parts.par_iter().map(|part| check_part(typed, types, loaded, part, definitions)).collect()
    };
    let threads = rayon::current_num_threads();
    let size = statements.len().div_ceil(threads * PARTS_PER_THREAD).max(MIN_STATEMENTS);
    let (first, rest) = statements.split_at(statements.len().min(threads * size));
    let mut parts = check_all(&chunks(first, size), Definitions::Keep)?;
    let size = if share_definitions(&parts) { rest.len().div_ceil(threads).max(MIN_STATEMENTS) } else { size };
    parts.extend(check_all(&chunks(rest, size), Definitions::Drop)?);
    let (mut expanded, mut used_budget, mut type_parts) = (0u64, 0u64, 0u64);
    for part in &parts {
        expanded = expanded.saturating_add(part.statements);
        used_budget = used_budget.saturating_add(part.used_budget);
        type_parts = type_parts.saturating_add(part.type_parts);
    }
    if expanded > expansion::limit(scoped) || used_budget > EVALUATION_BUDGET_NODES || type_parts > MAX_TYPE_PARTS {
        return None;
    }
    Some(Warnings::joined(parts.into_iter().map(|part| part.warnings).collect()))
}

/// Divides statements; there is always a part, if only an empty one.
fn chunks(statements: &[StmtId], size: usize) -> Vec<&[StmtId]> {
    if statements.is_empty() { vec![statements] } else { statements.chunks(size).collect() }
}

/// Whether the parts have lowered many definitions more than once.
fn share_definitions(parts: &[Part]) -> bool {
    let mut distinct: EntitySet<DefId> = EntitySet::new();
    let (mut all, mut different) = (0, 0);
    for def in parts.iter().flat_map(|part| part.definitions.iter()) {
        all += 1;
        different += usize::from(distinct.insert(def));
    }
    all > different + different / 4
}

/// Returns `None` if there are errors, or the budget for evaluation was too small.
fn check_part(
    typed: &Typed,
    types: &Arc<TypeTable>,
    loaded: &Loaded,
    statements: &[StmtId],
    definitions: Definitions,
) -> Option<Part> {
    let types = TypeTable::continuing(Arc::clone(types));
    let mut lowering = Lowering::new(typed, types, loaded, Options::default());
    lowering.emitter.has_labels = false;
    lowering.run_part(statements).ok()?;
    if !lowering.errors.is_empty() || lowering.emitter.pool.exceeded.is_some() {
        return None;
    }
    let mut lowered = EntitySet::new();
    if definitions == Definitions::Keep {
        lowered.extend(lowering.lowered_at_top());
    }
    Some(Part {
        statements: lowering.statements,
        used_budget: lowering.emitter.used_budget()?,
        type_parts: lowering.emitter.pool.type_parts(),
        definitions: lowered,
        warnings: Warnings::of(&mut lowering),
    })
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use cranelift_entity::{EntityRef, EntitySet};
    use mcl_types::DefId;

    use super::{Part, share_definitions};
    use crate::warnings::Warnings;

    fn part(lowered: Range<usize>) -> Part {
        let mut definitions = EntitySet::new();
        definitions.extend(lowered.map(DefId::new));
        Part { warnings: Warnings::default(), statements: 0, used_budget: 0, type_parts: 0, definitions }
    }

    #[test]
    fn definitions_that_only_one_part_lowers_are_not_shared() {
        assert!(!share_definitions(&[part(0..100), part(1000..1100)]));
        assert!(!share_definitions(&[part(0..100), part(90..190)]));
        assert!(share_definitions(&[part(0..100), part(50..150)]));
        assert!(share_definitions(&[part(0..100), part(0..100)]));
    }
}
