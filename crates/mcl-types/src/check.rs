//! The invariants of resolved and typed programs, for those that come from files: every id is in range, scopes form a
//! tree, types have no cycles. What names *mean* is not checked again.

use mcl_parser::ast::{ExprId, StmtId};

use crate::scoped::{
    DefId, DefKind, ExprInfo, Module, ModuleId, RefId, Scope, ScopeId, ScopeKind, Scoped, Slot, SlotId, SlotKind,
    StmtInfo, Target,
};
use crate::typed::{TypeId, Typed};

/// What is wrong, in a few words.
type Check = Result<(), &'static str>;

fn ensure(holds: bool, problem: &'static str) -> Check {
    if holds { Ok(()) } else { Err(problem) }
}

impl Scoped {
    /// Checks that the tables refer to one another and to the trees only by ids that exist. The trees were checked.
    ///
    /// # Errors
    /// The first problem.
    pub fn check(&self) -> Check {
        ensure(!self.modules.is_empty(), "it has no module")?;
        // The modules of scopes come first: everything else finds its tree by way of its scope.
        self.modules.iter().try_for_each(|module| self.check_module_heads(module))?;
        for scope in &self.scopes {
            ensure(scope.module.index() < self.modules.len(), "a module does not exist")?;
            scope.parent.map_or(Ok(()), |parent| self.scope_exists(parent))?;
        }
        self.check_scope_tree()?;
        (0..).zip(&self.scopes).try_for_each(|(i, scope)| self.check_scope(ScopeId(i), scope))?;
        for (i, def) in self.defs.iter().enumerate() {
            self.scope_exists(def.scope)?;
            match def.kind {
                DefKind::Bind { stmt } => self.stmt_exists(def.scope, stmt)?,
                DefKind::Func { stmt, scope } => {
                    self.stmt_exists(def.scope, stmt)?;
                    self.is_inside(def.scope, scope, |kind| matches!(kind, ScopeKind::Function(_)))?;
                }
                DefKind::Class { stmt, body } => {
                    self.stmt_exists(def.scope, stmt)?;
                    self.is_inside(def.scope, body, |kind| matches!(kind, ScopeKind::Class(id) if id.index() == i))?;
                }
                DefKind::Param { index } => {
                    let param = self.scopes[def.scope.index()].params.get(index as usize).map(|def| def.index());
                    ensure(param == Some(i), "a parameter is not one of its scope")?;
                }
                DefKind::Unknown => {}
            }
        }
        self.slots.iter().try_for_each(|slot| self.check_slot(slot))?;
        for reference in &self.references {
            reference.via.iter().try_for_each(|slot| self.slot_exists(*slot))?;
            if let Target::Def(def) = reference.target {
                self.def_exists(def)?;
            }
        }
        self.modules.iter().try_for_each(|module| self.check_module_tables(module))
    }

    fn check_module_heads(&self, module: &Module) -> Check {
        self.scope_exists(module.scope)?;
        ensure(self.scopes[module.scope.index()].kind == ScopeKind::Module, "a module's scope is of another sort")?;
        let tree = self.units.get(module.unit.0 as usize).ok_or("a tree does not exist")?;
        let lengths = (module.exprs.len(), module.stmts.len());
        ensure(lengths == (tree.exprs.len(), tree.stmts.len()), "a module does not match its tree")
    }

    /// No scope is inside itself. Each scope is visited once: those known to lead to a root are marked.
    fn check_scope_tree(&self) -> Check {
        let mut rooted = vec![false; self.scopes.len()];
        for start in 0..self.scopes.len() {
            let mut way = Vec::new();
            let mut at = Some(start);
            while let Some(scope) = at.filter(|scope| !rooted[*scope]) {
                way.push(scope);
                ensure(way.len() <= self.scopes.len(), "a scope is inside itself")?;
                at = self.scopes[scope].parent.map(ScopeId::index);
            }
            way.into_iter().for_each(|scope| rooted[scope] = true);
        }
        Ok(())
    }

    fn check_scope(&self, id: ScopeId, scope: &Scope) -> Check {
        scope.params.iter().try_for_each(|def| self.def_exists(*def))?;
        match scope.kind {
            ScopeKind::Module | ScopeKind::Block | ScopeKind::Loop => {}
            ScopeKind::Class(def) => self.def_exists(def)?,
            ScopeKind::Function(expr) => self.expr_exists(scope.module, expr)?,
        }
        let module = &self.modules[scope.module.index()];
        for stmt in scope.body.iter().chain(&scope.order) {
            match module.stmts.get(stmt.0 as usize).ok_or("a statement does not exist")? {
                StmtInfo::If { then, otherwise } => {
                    self.is_inside(id, *then, |kind| kind == ScopeKind::Block)?;
                    otherwise.map_or(Ok(()), |inner| self.is_inside(id, inner, |kind| kind == ScopeKind::Block))?;
                }
                StmtInfo::Loop(body) => self.is_inside(id, *body, |kind| kind == ScopeKind::Loop)?,
                StmtInfo::None | StmtInfo::Def(_) | StmtInfo::Slot(_) => {}
            }
        }
        Ok(())
    }

    fn check_slot(&self, slot: &Slot) -> Check {
        self.scope_exists(slot.scope)?;
        self.stmt_exists(slot.scope, slot.stmt)?;
        match slot.kind {
            SlotKind::Class(reference) => self.reference_exists(reference),
            SlotKind::Module(module) => ensure(module.index() < self.modules.len(), "a module does not exist"),
            SlotKind::Broken => Ok(()),
        }
    }

    fn check_module_tables(&self, module: &Module) -> Check {
        for expr in &module.exprs {
            match expr {
                ExprInfo::None | ExprInfo::Unresolved => {}
                ExprInfo::Ref(reference) => self.reference_exists(*reference)?,
                ExprInfo::Function(scope) => self.scope_exists(*scope)?,
            }
        }
        for stmt in &module.stmts {
            match stmt {
                StmtInfo::None => {}
                StmtInfo::Def(def) => self.def_exists(*def)?,
                StmtInfo::If { then, otherwise } => {
                    self.scope_exists(*then)?;
                    otherwise.map_or(Ok(()), |scope| self.scope_exists(scope))?;
                }
                StmtInfo::Loop(scope) => self.scope_exists(*scope)?,
                StmtInfo::Slot(slot) => self.slot_exists(*slot)?,
            }
        }
        Ok(())
    }

    /// The scope of a statement's block or of a definition is of the right sort, and stands in the scope around it.
    fn is_inside(&self, outer: ScopeId, inner: ScopeId, sort: impl FnOnce(ScopeKind) -> bool) -> Check {
        self.scope_exists(inner)?;
        let inner = &self.scopes[inner.index()];
        ensure(inner.parent == Some(outer) && sort(inner.kind), "a scope does not fit its statement")
    }

    fn scope_exists(&self, id: ScopeId) -> Check {
        ensure(id.index() < self.scopes.len(), "a scope does not exist")
    }

    fn def_exists(&self, id: DefId) -> Check {
        ensure(id.index() < self.defs.len(), "a definition does not exist")
    }

    fn slot_exists(&self, id: SlotId) -> Check {
        ensure(id.index() < self.slots.len(), "an instance does not exist")
    }

    fn reference_exists(&self, id: RefId) -> Check {
        ensure(id.index() < self.references.len(), "a reference does not exist")
    }

    fn stmt_exists(&self, scope: ScopeId, stmt: StmtId) -> Check {
        let count = self.modules[self.scopes[scope.index()].module.index()].stmts.len();
        ensure((stmt.0 as usize) < count, "a statement does not exist")
    }

    fn expr_exists(&self, module: ModuleId, expr: ExprId) -> Check {
        ensure((expr.0 as usize) < self.modules[module.index()].exprs.len(), "an expression does not exist")
    }
}

impl Typed {
    /// As [`Scoped::check`], and the same for the types.
    ///
    /// # Errors
    /// The first problem.
    pub fn check(&self) -> Check {
        self.scoped.check()?;
        self.types.check()?;
        let scoped = &self.scoped;
        let lengths = self.exprs.len() == scoped.modules.len()
            && self.exprs.iter().zip(&scoped.modules).all(|(types, module)| types.len() == module.exprs.len())
            && self.defs.len() == scoped.defs.len()
            && self.generics.len() == scoped.scopes.len()
            && self.slot_types.len() == scoped.slots.len();
        ensure(lengths, "its types do not match its names")?;
        let types =
            self.exprs.iter().flatten().chain(&self.defs).chain(self.slot_types.iter().flat_map(|types| &**types));
        let mut types = types.chain(self.call_types.values().flat_map(|types| &**types));
        ensure(types.all(|ty: &TypeId| ty.index() < self.types.len()), "a type does not exist")
    }
}
