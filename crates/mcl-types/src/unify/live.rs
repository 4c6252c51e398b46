//! What the program uses: only that is typed (spec 02 §2.6).

use mcl_parser::ast::{ExprId, Stmt, StmtId};

use crate::scoped::{DefId, DefKind, ExprInfo, RefId, ScopeId, Scoped, SlotId, SlotKind, StmtInfo, Target};
use crate::walk;

/// Marks every definition that the program's statements reach.
pub(super) fn live_definitions(scoped: &Scoped) -> Vec<bool> {
    let mut marker = Marker {
        scoped,
        defs: vec![false; scoped.defs.len()],
        modules: vec![false; scoped.modules.len()],
        work: Vec::new(),
    };
    marker.modules[0] = true;
    marker.work.push(Work::List(scoped.root()));
    while let Some(work) = marker.work.pop() {
        match work {
            Work::List(scope) => marker.list(scope),
            Work::Def(def) => marker.definition(def),
        }
    }
    marker.defs
}

enum Work {
    List(ScopeId),
    Def(DefId),
}

struct Marker<'a> {
    scoped: &'a Scoped,
    defs: Vec<bool>,
    modules: Vec<bool>,
    work: Vec<Work>,
}

impl Marker<'_> {
    fn list(&mut self, scope: ScopeId) {
        for stmt in &self.scoped.scope(scope).body {
            self.statement(scope, *stmt);
        }
    }

    fn statement(&mut self, scope: ScopeId, stmt: StmtId) {
        let module = self.scoped.scope(scope).module;
        let ast = self.scoped.ast(module);
        match self.scoped.module(module).stmts[stmt.0 as usize] {
            // Definitions count when something reaches them.
            StmtInfo::Def(_) => return,
            StmtInfo::None => {}
            StmtInfo::If { then, otherwise } => {
                self.work.push(Work::List(then));
                self.work.extend(otherwise.map(Work::List));
            }
            StmtInfo::Loop(inner) => self.work.push(Work::List(inner)),
            StmtInfo::Slot(slot) => self.slot(slot),
        }
        walk::expressions(ast.stmt(stmt), |expr| self.expression(scope, expr));
    }

    fn slot(&mut self, slot: SlotId) {
        match self.scoped.slot(slot).kind {
            SlotKind::Class(reference) => self.reference(reference),
            SlotKind::Module(module) => {
                if !std::mem::replace(&mut self.modules[module.index()], true) {
                    self.work.push(Work::List(self.scoped.module(module).scope));
                }
            }
            SlotKind::Broken => {}
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
            DefKind::Class { body, .. } => self.work.push(Work::List(body)),
            DefKind::Param { .. } | DefKind::Unknown => {}
        }
    }

    fn expression(&mut self, scope: ScopeId, root: ExprId) {
        let module = self.scoped.scope(scope).module;
        let ast = self.scoped.ast(module);
        let infos = &self.scoped.module(module).exprs;
        let mut work = vec![root];
        while let Some(expr) = work.pop() {
            if let ExprInfo::Ref(reference) = infos[expr.0 as usize] {
                self.reference(reference);
            }
            walk::parts(ast.expr(expr), |part| work.push(part));
        }
    }

    fn reference(&mut self, reference: RefId) {
        if let Target::Def(def) = self.scoped.reference(reference).target
            && !std::mem::replace(&mut self.defs[def.index()], true)
        {
            self.work.push(Work::Def(def));
        }
    }
}
