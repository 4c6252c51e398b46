//! Validates resolved and typed programs that were read from files: every id is in range, scopes form a tree, types have no
//! cycles. Whether the names and types are the right ones is not checked again.

use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};
use mcl_parser::ast::{ExprId, StmtId};

use crate::invalid::InvalidProgram;
use crate::scoped::{
    DefId, DefKind, ExprInfo, Instance, InstanceId, InstanceKind, Module, ModuleId, Resolution, Scope, ScopeId,
    ScopeKind, Scoped, StmtInfo, Target,
};
use crate::typed::{TypeId, Typed};

type Validation = Result<(), InvalidProgram>;

fn ensure(holds: bool, violation: &'static str) -> Validation {
    if holds { Ok(()) } else { Err(InvalidProgram::new(violation)) }
}

fn ensure_valid<K: EntityRef, V>(table: &PrimaryMap<K, V>, id: K, violation: &'static str) -> Validation {
    ensure(table.is_valid(id), violation)
}

impl Scoped {
    /// Checks that the tables refer to one another and to the trees only by ids that exist. The trees themselves were
    /// validated before.
    ///
    /// # Errors
    /// The first violation.
    pub fn validate(&self) -> Result<(), InvalidProgram> {
        ensure(!self.modules.is_empty(), "it has no module")?;
        // The modules of scopes come first: everything else finds its tree through its scope.
        self.modules.values().try_for_each(|module| self.validate_module_head(module))?;
        for scope in self.scopes.values() {
            ensure_valid(&self.modules, scope.module, "a module does not exist")?;
            let Some(parent) = scope.parent else { continue };
            self.scope_exists(parent)?;
            // Only a file may be resolved inside another one.
            let is_one_file = scope.kind == ScopeKind::Module || self.scope(parent).module == scope.module;
            ensure(is_one_file, "a scope and the one around it are of different files")?;
        }
        self.validate_scope_tree()?;
        self.scopes.iter().try_for_each(|(id, scope)| self.validate_scope(id, scope))?;
        self.validate_statement_lists(|scope| &scope.body)?;
        self.validate_statement_lists(|scope| &scope.order)?;
        self.defs.keys().try_for_each(|id| self.validate_def(id))?;
        self.instances.values().try_for_each(|instance| self.validate_instance(instance))?;
        for path in self.paths.values() {
            path.instances.iter().try_for_each(|instance| self.instance_exists(*instance))?;
            self.target_exists(path.target)?;
        }
        self.validate_instance_paths()?;
        self.modules.iter().try_for_each(|(id, module)| self.validate_module_tables(id, module))
    }

    fn validate_module_head(&self, module: &Module) -> Validation {
        self.scope_exists(module.scope)?;
        ensure(self.scope(module.scope).kind == ScopeKind::Module, "a module's scope is of another kind")?;
        let tree = self.units.get(module.unit).ok_or(InvalidProgram::new("a tree does not exist"))?;
        let lengths = (module.exprs.len(), module.stmts.len());
        ensure(lengths == (tree.exprs.len(), tree.stmts.len()), "a module does not match its tree")
    }

    /// Checks that no scope is its own ancestor. Scopes known to lead to a root are marked, so each is visited once.
    fn validate_scope_tree(&self) -> Validation {
        let mut rooted: SecondaryMap<ScopeId, bool> = SecondaryMap::with_capacity(self.scopes.len());
        for start in self.scopes.keys() {
            let mut ancestors = Vec::new();
            let mut current = Some(start);
            while let Some(scope) = current.filter(|scope| !rooted[*scope]) {
                ancestors.push(scope);
                ensure(ancestors.len() <= self.scopes.len(), "a scope is inside itself")?;
                current = self.scope(scope).parent;
            }
            ancestors.into_iter().for_each(|scope| rooted[scope] = true);
        }
        Ok(())
    }

    /// Checks that the class of an instance is not reached through the instance itself.
    fn validate_instance_paths(&self) -> Validation {
        let path = |instance: InstanceId| match self.instance(instance).kind {
            InstanceKind::Class(reference) => self.reference(reference).path,
            InstanceKind::Module(_) | InstanceKind::Error => &[],
        };
        let mut entered: EntitySet<InstanceId> = EntitySet::with_capacity(self.instances.len());
        let mut left: EntitySet<InstanceId> = EntitySet::with_capacity(self.instances.len());
        for start in self.instances.keys() {
            let mut work = vec![(start, 0)];
            while let Some((instance, next)) = work.last_mut() {
                let instance = *instance;
                if *next == 0 && !entered.insert(instance) {
                    ensure(left.contains(instance), "an instance is reached through itself")?;
                    work.pop();
                    continue;
                }
                let Some(inner) = path(instance).get(*next) else {
                    left.insert(instance);
                    work.pop();
                    continue;
                };
                *next += 1;
                work.push((*inner, 0));
            }
        }
        Ok(())
    }

    fn validate_scope(&self, id: ScopeId, scope: &Scope) -> Validation {
        scope.params.iter().try_for_each(|def| self.def_exists(*def))?;
        match scope.kind {
            ScopeKind::Module | ScopeKind::Block | ScopeKind::Loop => {}
            ScopeKind::Class(def) => self.def_exists(def)?,
            ScopeKind::Function(expr) => self.expr_exists(scope.module, expr)?,
        }
        let module = self.module(scope.module);
        for stmt in scope.body.iter().chain(&scope.order) {
            let info = module.stmts.get(*stmt).ok_or(InvalidProgram::new("a statement does not exist"))?;
            match info {
                StmtInfo::If { then, otherwise } => {
                    self.is_inside(id, *then, |kind| kind == ScopeKind::Block)?;
                    otherwise
                        .expand()
                        .map_or(Ok(()), |inner| self.is_inside(id, inner, |kind| kind == ScopeKind::Block))?;
                }
                StmtInfo::Loop(body) => self.is_inside(id, *body, |kind| kind == ScopeKind::Loop)?,
                StmtInfo::Def(def) => {
                    self.def_exists(*def)?;
                    ensure(self.def(*def).scope == id, "a definition is not in its scope")?;
                }
                StmtInfo::Instance(instance) => {
                    self.instance_exists(*instance)?;
                    ensure(self.instance(*instance).scope == id, "an instance is not in its scope")?;
                }
                StmtInfo::None => {}
            }
        }
        Ok(())
    }

    /// Checks that no statement is in the lists of two scopes, or twice in one. A walk over scopes visits a scope once
    /// for each statement that opens it, so it would otherwise be exponential in their depth.
    fn validate_statement_lists(&self, list: impl Fn(&Scope) -> &[StmtId]) -> Validation {
        let mut listed: PrimaryMap<ModuleId, PrimaryMap<StmtId, bool>> =
            self.modules.values().map(|module| vec![false; module.stmts.len()].into()).collect();
        for scope in self.scopes.values() {
            for stmt in list(scope) {
                let listed = listed[scope.module].get_mut(*stmt);
                let listed = listed.ok_or(InvalidProgram::new("a statement does not exist"))?;
                ensure(!std::mem::replace(listed, true), "a statement is listed twice")?;
            }
        }
        Ok(())
    }

    fn validate_def(&self, id: DefId) -> Validation {
        let def = self.def(id);
        self.scope_exists(def.scope)?;
        ensure(self.ast_of(def.scope).names.is_valid(def.name), "a name does not exist")?;
        match def.kind {
            DefKind::Bind { stmt } => self.stmt_exists(def.scope, stmt),
            DefKind::Func { stmt, scope } => {
                self.stmt_exists(def.scope, stmt)?;
                let scope = scope.expand().ok_or(InvalidProgram::new("a function has no scope"))?;
                self.is_inside(def.scope, scope, |kind| matches!(kind, ScopeKind::Function(_)))
            }
            DefKind::Class { stmt, body } => {
                self.stmt_exists(def.scope, stmt)?;
                self.is_inside(def.scope, body, |kind| kind == ScopeKind::Class(id))
            }
            DefKind::Param { index } => {
                let param = self.scope(def.scope).params.get(index as usize);
                ensure(param == Some(&id), "a parameter is not one of its scope")
            }
            DefKind::Error => Ok(()),
        }
    }

    fn validate_instance(&self, instance: &Instance) -> Validation {
        self.scope_exists(instance.scope)?;
        self.stmt_exists(instance.scope, instance.stmt)?;
        match instance.kind {
            InstanceKind::Class(reference) => self.resolution_exists(reference),
            InstanceKind::Module(module) => ensure_valid(&self.modules, module, "a module does not exist"),
            InstanceKind::Error => Ok(()),
        }
    }

    fn validate_module_tables(&self, id: ModuleId, module: &Module) -> Validation {
        for (expr, info) in module.exprs.iter().enumerate() {
            match info {
                ExprInfo::None | ExprInfo::Unresolved => {}
                ExprInfo::Ref(reference) => self.resolution_exists(reference)?,
                ExprInfo::Function(scope) => {
                    self.scope_exists(scope)?;
                    let Scope { module, kind, .. } = self.scope(scope);
                    let is_own = *module == id && *kind == ScopeKind::Function(ExprId::new(expr));
                    ensure(is_own, "a scope is that of another function")?;
                }
            }
        }
        for stmt in module.stmts.values() {
            match stmt {
                StmtInfo::None => {}
                StmtInfo::Def(def) => self.def_exists(*def)?,
                StmtInfo::If { then, otherwise } => {
                    self.scope_exists(*then)?;
                    otherwise.expand().map_or(Ok(()), |scope| self.scope_exists(scope))?;
                }
                StmtInfo::Loop(scope) => self.scope_exists(*scope)?,
                StmtInfo::Instance(instance) => self.instance_exists(*instance)?,
            }
        }
        Ok(())
    }

    /// Checks that the scope that a statement or definition of `outer` opens is of the right kind and a child of `outer`.
    fn is_inside(&self, outer: ScopeId, inner: ScopeId, is_expected: impl FnOnce(ScopeKind) -> bool) -> Validation {
        self.scope_exists(inner)?;
        let inner = self.scope(inner);
        ensure(inner.parent == Some(outer) && is_expected(inner.kind), "a scope does not fit its statement")
    }

    fn scope_exists(&self, id: ScopeId) -> Validation {
        ensure_valid(&self.scopes, id, "a scope does not exist")
    }

    fn def_exists(&self, id: DefId) -> Validation {
        ensure_valid(&self.defs, id, "a definition does not exist")
    }

    fn instance_exists(&self, id: InstanceId) -> Validation {
        ensure_valid(&self.instances, id, "an instance does not exist")
    }

    fn resolution_exists(&self, resolution: Resolution) -> Validation {
        match resolution {
            Resolution::Direct(target) => self.target_exists(target),
            Resolution::Inside(path) => ensure_valid(&self.paths, path, "a path does not exist"),
        }
    }

    fn target_exists(&self, target: Target) -> Validation {
        match target {
            Target::Def(def) => self.def_exists(def),
            Target::Function(id) | Target::Variable(id) => {
                ensure(self.builtins.is_valid(id), "a built-in name does not exist")
            }
        }
    }

    fn stmt_exists(&self, scope: ScopeId, stmt: StmtId) -> Validation {
        ensure_valid(&self.module(self.scope(scope).module).stmts, stmt, "a statement does not exist")
    }

    fn expr_exists(&self, module: ModuleId, expr: ExprId) -> Validation {
        ensure(self.module(module).exprs.is_valid(expr), "an expression does not exist")
    }
}

impl Typed {
    /// Does the same as [`Scoped::validate`], and checks the types as well.
    ///
    /// # Errors
    /// The first violation.
    pub fn validate(&self) -> Result<(), InvalidProgram> {
        self.scoped.validate()?;
        self.types.validate()?;
        let scoped = &self.scoped;
        let lengths = self.exprs.len() == scoped.modules.len()
            && self.exprs.values().zip(scoped.modules.values()).all(|(types, m)| types.len() == m.exprs.len())
            && self.defs.len() == scoped.defs.len()
            && self.generics.len() == scoped.scopes.len()
            && self.instance_types.len() == scoped.instances.len();
        ensure(lengths, "its types do not match its names")?;
        let expressions = self.exprs.values().flat_map(|types| types.values());
        let instances = self.instance_types.values().flat_map(|types| &**types);
        self.call_types.validate()?;
        let mut types = expressions.chain(self.defs.values()).chain(instances).chain(self.call_types.types());
        ensure(types.all(|ty: &TypeId| ty.index() < self.types.len()), "a type does not exist")
    }
}
