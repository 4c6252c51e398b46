//! How many statements a program expands to.
//!
//! Classes that include other classes several times multiply: forty of them, each with two includes of the next, are more
//! statements than fit into any memory. So they are counted before they are made. The count is a lower bound (of a branch
//! the smaller side counts, a loop may have no iteration); what it lets pass is counted again while it is made.

use mcl_parser::ast::{Stmt, StmtId};
use mcl_types::{ScopeId, Scoped, StmtInfo};

use crate::Stop;

/// This many statements may come from classes that are included more than once, besides those that somebody wrote.
const MAX_COPIES: u64 = 1_000_000;

/// The largest number of statements that a program may expand to.
pub(crate) fn limit(scoped: &Scoped) -> u64 {
    let written: usize = scoped.modules.values().map(|module| module.stmts.len()).sum();
    MAX_COPIES + written as u64
}

/// Refuses a program that is certain to expand to more.
pub(crate) fn check(scoped: &Scoped) -> Result<(), Stop> {
    let mut counts = vec![Count::Unknown; scoped.scopes.len()];
    let mut stack = vec![scoped.root()];
    while let Some(&scope) = stack.last() {
        match counts[scope.index()] {
            Count::Known(_) => {
                stack.pop();
            }
            Count::Open => {
                counts[scope.index()] = Count::Known(total(scoped, scope, &counts));
                stack.pop();
            }
            Count::Unknown => {
                counts[scope.index()] = Count::Open;
                for inner in inner_scopes(scoped, scope) {
                    match counts[inner.index()] {
                        Count::Unknown => stack.push(inner),
                        Count::Open => return Err(Stop::Broken("a class includes itself")),
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
        Some(stmt) => Err(Stop::TooLarge { at: scoped.ast_of(root).stmt_span(*stmt), statements: Some(statements) }),
        None => Ok(()),
    }
}

#[derive(Clone, Copy)]
enum Count {
    Unknown,
    /// It waits for those inside it.
    Open,
    Known(u64),
}

fn known(counts: &[Count], scope: ScopeId) -> u64 {
    match counts[scope.index()] {
        Count::Known(count) => count,
        Count::Unknown | Count::Open => 0,
    }
}

/// The scopes whose statements are those of this one, too.
fn inner_scopes(scoped: &Scoped, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
    scoped
        .scope(scope)
        .body
        .iter()
        .flat_map(move |stmt| match info(scoped, scope, *stmt) {
            StmtInfo::If { then, otherwise: Some(otherwise) } => [Some(then), Some(otherwise)],
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
        StmtInfo::If { then, otherwise: Some(otherwise) } => known(counts, then).min(known(counts, otherwise)),
        StmtInfo::Instance(slot) if is_include(scoped, scope, stmt) => {
            scoped.instance_scope(slot).map_or(0, |class| known(counts, class))
        }
        StmtInfo::If { .. } | StmtInfo::Instance(_) | StmtInfo::None | StmtInfo::Def(_) | StmtInfo::Loop(_) => 0,
    };
    inside.saturating_add(1)
}

fn info(scoped: &Scoped, scope: ScopeId, stmt: StmtId) -> StmtInfo {
    scoped.module(scoped.scope(scope).module).stmts[stmt.0 as usize]
}

fn is_include(scoped: &Scoped, scope: ScopeId, stmt: StmtId) -> bool {
    matches!(scoped.ast_of(scope).stmt(stmt), Stmt::Include { .. })
}
