//! What the program uses: only that is typed (spec 02 §2.6).

use cranelift_entity::EntitySet;
use mcl_parser::ast::{ExprId, Stmt, StmtId};

use crate::scoped::{
    DefId, DefKind, InstanceId, InstanceKind, ModuleId, Resolution, ScopeId, Scoped, StmtInfo, Target,
};
use crate::walk;

/// Returns every definition that the statements of the program reach.
#[must_use]
pub fn reachable_definitions(scoped: &Scoped) -> EntitySet<DefId> {
    reachable_with(scoped, [])
}

/// Returns every definition that the statements of the program reach, or that other definitions reach, which something outside
/// of the program uses.
pub(crate) fn reachable_with(scoped: &Scoped, used: impl IntoIterator<Item = DefId>) -> EntitySet<DefId> {
    search(scoped, vec![Work::Statements(scoped.root())], used)
}

/// Returns these definitions, and every definition that they reach.
pub(crate) fn reachable_from(scoped: &Scoped, roots: impl IntoIterator<Item = DefId>) -> EntitySet<DefId> {
    search(scoped, Vec::new(), roots)
}

fn search(scoped: &Scoped, work: Vec<Work>, used: impl IntoIterator<Item = DefId>) -> EntitySet<DefId> {
    let mut search = Search {
        scoped,
        defs: EntitySet::with_capacity(scoped.defs.len()),
        modules: EntitySet::with_capacity(scoped.modules.len()),
        work,
    };
    search.modules.extend(scoped.modules.keys().take(1));
    for def in used {
        search.defs.insert(def);
        search.work.push(Work::Definition(def));
    }
    while let Some(work) = search.work.pop() {
        match work {
            Work::Statements(scope) => search.statements(scope),
            Work::Definition(def) => search.definition(def),
        }
    }
    search.defs
}

enum Work {
    Statements(ScopeId),
    Definition(DefId),
}

struct Search<'a> {
    scoped: &'a Scoped,
    defs: EntitySet<DefId>,
    modules: EntitySet<ModuleId>,
    work: Vec<Work>,
}

impl Search<'_> {
    fn statements(&mut self, scope: ScopeId) {
        for stmt in &self.scoped.scope(scope).body {
            self.statement(scope, *stmt);
        }
    }

    fn statement(&mut self, scope: ScopeId, stmt: StmtId) {
        let module = self.scoped.scope(scope).module;
        let ast = self.scoped.ast(module);
        match self.scoped.stmt_info(scope, stmt) {
            // Definitions count when something reaches them.
            StmtInfo::Def(_) => return,
            StmtInfo::None => {}
            StmtInfo::If { then, otherwise } => {
                self.work.push(Work::Statements(then));
                self.work.extend(otherwise.expand().map(Work::Statements));
            }
            StmtInfo::Loop(inner) => self.work.push(Work::Statements(inner)),
            StmtInfo::Instance(instance) => self.instance(instance),
        }
        walk::expressions(ast.stmt(stmt), |expr| self.expression(scope, expr));
    }

    fn instance(&mut self, instance: InstanceId) {
        match self.scoped.instance(instance).kind {
            InstanceKind::Class(reference) => self.reference(reference),
            InstanceKind::Module(module) => {
                if self.modules.insert(module) {
                    self.work.push(Work::Statements(self.scoped.module(module).scope));
                }
            }
            InstanceKind::Error => {}
        }
    }

    fn definition(&mut self, def: DefId) {
        let scope = self.scoped.def(def).scope;
        match self.scoped.def(def).kind {
            DefKind::Bind { stmt } | DefKind::Func { stmt, .. } => {
                let ast = self.scoped.ast_of(scope);
                match ast.stmt(stmt) {
                    Stmt::Bind { value, .. } => self.expression(scope, *value),
                    Stmt::Func { func, .. } => self.expression(scope, *func),
                    _ => {}
                }
            }
            DefKind::Class { body, .. } => self.work.push(Work::Statements(body)),
            DefKind::Param { .. } | DefKind::Error => {}
        }
    }

    fn expression(&mut self, scope: ScopeId, root: ExprId) {
        let scoped = self.scoped;
        scoped.references_below(scope, root, |reference| self.reference(reference));
    }

    fn reference(&mut self, reference: Resolution) {
        if let Target::Def(def) = self.scoped.reference(reference).target
            && self.defs.insert(def)
        {
            self.work.push(Work::Definition(def));
        }
    }
}
