//! Which names are visible at a place.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcl_diagnostics::FileId;
use mcl_parser::ast::{Ast, Expr};
use mcl_types::{DefId, DefKind, ExprInfo, ModuleId, ScopeId, StmtInfo};

use crate::index::{DefinedKind, DefinedName};
use crate::program::Program;

/// Returns the innermost scope around a byte offset of a file.
pub(crate) fn scope_at(program: &Program, file: FileId, offset: u32) -> Option<ScopeId> {
    let scoped = program.scoped();
    let (module, of) = scoped.modules.iter().find(|(_, module)| scoped.units[module.unit].file == file)?;
    let ast = scoped.ast(module);
    let mut scope = of.scope;
    'inner: loop {
        for stmt in &scoped.scope(scope).body {
            let span = ast.stmt_span(*stmt);
            if offset <= span.start || span.end < offset {
                continue;
            }
            let inner = match scoped.stmt_info(scope, *stmt) {
                StmtInfo::Def(def) => match scoped.def(def).kind {
                    DefKind::Class { body, .. } => Some(body),
                    DefKind::Func { scope, .. } => scope.expand(),
                    DefKind::Bind { .. } | DefKind::Param { .. } | DefKind::Error => None,
                },
                StmtInfo::Loop(body) => Some(body),
                StmtInfo::If { then, otherwise } => {
                    let starts_before = |scope: &ScopeId| {
                        let first = scoped.scope(*scope).body.first();
                        first.is_some_and(|stmt| ast.stmt_span(*stmt).start <= offset)
                    };
                    Some(otherwise.expand().filter(starts_before).unwrap_or(then))
                }
                StmtInfo::None | StmtInfo::Instance(_) => None,
            };
            if let Some(inner) = inner {
                scope = inner;
                continue 'inner;
            }
        }
        return Some(lambda_at(program, module, ast, offset).unwrap_or(scope));
    }
}

/// Returns the scope of the innermost function literal around an offset.
fn lambda_at(program: &Program, module: ModuleId, ast: &Ast, offset: u32) -> Option<ScopeId> {
    let infos = &program.scoped().module(module).exprs;
    let lambdas = ast.exprs.iter().filter(|(_, expr)| matches!(expr, Expr::Func(_)));
    let around = lambdas.filter(|(id, _)| {
        let span = ast.expr_span(*id);
        span.start < offset && offset < span.end
    });
    let innermost = around.min_by_key(|(id, _)| ast.expr_span(*id).end - ast.expr_span(*id).start)?;
    match infos.get(innermost.0) {
        ExprInfo::Function(scope) => Some(scope),
        _ => None,
    }
}

/// A name that is visible, and how many scopes outwards.
pub(crate) struct Visible<'a> {
    pub(crate) defined: &'a DefinedName,
    pub(crate) distance: usize,
}

/// Returns the names that are visible in a scope: what is nearer hides what is further away.
pub(crate) fn visible(program: &Program, scope: ScopeId) -> Vec<Visible<'_>> {
    let scoped = program.scoped();
    let mut by_scope: BTreeMap<ScopeId, Vec<&DefinedName>> = BTreeMap::new();
    for (_, defined) in program.index().all_defined() {
        by_scope.entry(defined.scope).or_default().push(defined);
    }
    let mut seen: BTreeMap<(u8, Arc<str>), ()> = BTreeMap::new();
    let mut found = Vec::new();
    let mut current = Some(scope);
    let mut distance = 0;
    while let Some(scope) = current {
        for defined in by_scope.get(&scope).into_iter().flatten() {
            let namespace = match defined.kind {
                DefinedKind::Bind(_) | DefinedKind::Parameter(_) => 0,
                DefinedKind::Function(_) => 1,
                DefinedKind::Class(_) => 2,
                DefinedKind::Alias(_) => 3,
            };
            if seen.insert((namespace, Arc::clone(&defined.name)), ()).is_none() {
                found.push(Visible { defined, distance });
            }
        }
        current = scoped.scope(scope).parent;
        distance += 1;
    }
    found.sort_by_key(|visible| (visible.distance, visible.defined.span));
    found
}

/// Returns the definitions at the top level of the file that an import leads to, or in the class that an include makes an
/// instance of.
pub(crate) fn members(program: &Program, scope: ScopeId) -> Vec<DefId> {
    let defs = program.scoped().defs.iter();
    defs.filter(|(_, def)| def.scope == scope && def.kind != DefKind::Error).map(|(id, _)| id).collect()
}
