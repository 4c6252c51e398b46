//! The number of statements that a program expands to.
//!
//! Classes that include other classes several times multiply: forty classes, each with two includes of the next one, are
//! more statements than fit into memory. They are therefore counted before they are expanded. The count is a lower bound
//! (the smaller branch of an `if` counts, a loop may have no iterations); [`limit`] is checked again during expansion.

use mcl_parser::ast::{Stmt, StmtId};
use mcl_types::{ScopeId, Scoped, StmtInfo};

use crate::error::{Inconsistency, LowerError};

/// How many statements a program may expand to beyond those in its source.
const MAX_COPIED_STATEMENTS: u64 = 1_000_000;

/// Returns the maximum number of statements that a program may expand to.
pub(crate) fn limit(scoped: &Scoped) -> u64 {
    let written: usize = scoped.modules.values().map(|module| module.stmts.len()).sum();
    MAX_COPIED_STATEMENTS + written as u64
}

/// Rejects a program that expands to more than [`limit`] statements in any case.
pub(crate) fn check(scoped: &Scoped) -> Result<(), LowerError> {
    let mut counts = vec![Count::Unknown; scoped.scopes.len()];
    let mut stack = vec![scoped.root()];
    while let Some(&scope) = stack.last() {
        match counts[scope.index()] {
            Count::Known(_) => {
                stack.pop();
            }
            Count::InProgress => {
                counts[scope.index()] = Count::Known(total(scoped, scope, &counts));
                stack.pop();
            }
            Count::Unknown => {
                counts[scope.index()] = Count::InProgress;
                for inner in inner_scopes(scoped, scope) {
                    match counts[inner.index()] {
                        Count::Unknown => stack.push(inner),
                        Count::InProgress => return Err(Inconsistency::CyclicDefinition.into()),
                        Count::Known(_) => {}
                    }
                }
            }
        }
    }
    let statements = known(&counts, scoped.root());
    if statements <= limit(scoped) {
        return Ok(());
    }
    let root = scoped.root();
    let body = scoped.scope(root).body.iter();
    match body.max_by_key(|stmt| of_statement(scoped, root, **stmt, &counts)) {
        Some(stmt) => Err(LowerError::TooLarge {
            at: scoped.ast_of(root).stmt_span(*stmt),
            statements: Some(statements),
            limit: limit(scoped),
        }),
        None => Ok(()),
    }
}

#[derive(Clone, Copy)]
enum Count {
    Unknown,
    /// The scopes inside it are being counted.
    InProgress,
    Known(u64),
}

fn known(counts: &[Count], scope: ScopeId) -> u64 {
    match counts[scope.index()] {
        Count::Known(count) => count,
        Count::Unknown | Count::InProgress => 0,
    }
}

/// Returns the scopes whose statements count as statements of this one.
fn inner_scopes(scoped: &Scoped, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
    scoped
        .scope(scope)
        .body
        .iter()
        .flat_map(move |stmt| match info(scoped, scope, *stmt) {
            StmtInfo::If { then, otherwise } if otherwise.is_some() => [Some(then), otherwise.expand()],
            StmtInfo::Instance(slot) if is_include(scoped, scope, *stmt) => [scoped.instance_scope(slot), None],
            StmtInfo::If { .. } | StmtInfo::Instance(_) | StmtInfo::None | StmtInfo::Def(_) | StmtInfo::Loop(_) => {
                [None, None]
            }
        })
        .flatten()
}

fn total(scoped: &Scoped, scope: ScopeId, counts: &[Count]) -> u64 {
    let body = scoped.scope(scope).body.iter();
    body.fold(0, |sum: u64, stmt| sum.saturating_add(of_statement(scoped, scope, *stmt, counts)))
}

fn of_statement(scoped: &Scoped, scope: ScopeId, stmt: StmtId, counts: &[Count]) -> u64 {
    let inside = match info(scoped, scope, stmt) {
        StmtInfo::If { then, otherwise } => {
            otherwise.expand().map_or(0, |otherwise| known(counts, then).min(known(counts, otherwise)))
        }
        StmtInfo::Instance(slot) if is_include(scoped, scope, stmt) => {
            scoped.instance_scope(slot).map_or(0, |class| known(counts, class))
        }
        StmtInfo::Instance(_) | StmtInfo::None | StmtInfo::Def(_) | StmtInfo::Loop(_) => 0,
    };
    inside.saturating_add(1)
}

fn info(scoped: &Scoped, scope: ScopeId, stmt: StmtId) -> StmtInfo {
    scoped.module(scoped.scope(scope).module).stmts[stmt]
}

fn is_include(scoped: &Scoped, scope: ScopeId, stmt: StmtId) -> bool {
    matches!(scoped.ast_of(scope).stmt(stmt), Stmt::Include(_))
}
