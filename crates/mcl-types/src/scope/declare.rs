//! The first pass: the scope tree, and the symbol table of each scope.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use mcl_diagnostics::Span;
use mcl_modules::UnitId;
use mcl_parser::ast::{Ast, Block, ClassStmt, Definition, DefinitionKind, IfStmt, LoopStmt, Name, Param, Stmt, StmtId};
use rustc_hash::FxHashMap;

use crate::scope::Resolver;
use crate::scope::broken_names::Unnamed;
use crate::scope::error::{Entity, ScopeError};
use crate::scope::import::Imported;
use crate::scope::names::{Namespace, Symbol};
use crate::scope::table::{Alias, AliasTarget, Visible};
use crate::scoped::{DefId, DefKind, ExprInfos, InstanceKind, Module, ModuleId, ScopeId, ScopeKind, StmtInfo};
use crate::stack::with_stack;

/// A scope of this many statements or more is a long one.
pub(crate) const LONG_SCOPE: usize = 1000;

impl Resolver<'_> {
    /// Declares a module for a file: one that sees only itself, or, given the scope `site` that contains the import, one
    /// that sees the names around that scope.
    pub(crate) fn declare_module(&mut self, unit: UnitId, site: Option<ScopeId>) -> ModuleId {
        if site.is_none()
            && let Some(module) = self.shared_modules[unit]
        {
            return module;
        }
        let ast = Arc::clone(&self.out.units[unit]);
        let module = self.out.modules.push(Module {
            unit,
            scope: self.out.scopes.next_key(),
            exprs: ExprInfos::new(ast.exprs.len()),
            stmts: vec![StmtInfo::None; ast.stmts.len()].into(),
        });
        let scope = self.add_scope(module, site, ScopeKind::Module);
        self.tables[scope].visible_of_parent = Visible::Parameters;
        let system = self.loaded.units[unit].system.as_deref();
        self.tables[scope].system = system.map(|module| self.symbols.intern(module));
        if site.is_none() {
            self.shared_modules[unit] = Some(module);
            self.unresolved_modules.push(module);
        }
        with_stack(|| self.declare_scopes(scope, &ast.body));
        module
    }

    /// Declares the statements of a scope and of all scopes inside it.
    fn declare_scopes(&mut self, scope: ScopeId, body: &Block) {
        let ast = self.ast(scope);
        let mut work: Vec<(ScopeId, &Block)> = vec![(scope, body)];
        while let Some((scope, body)) = work.pop() {
            self.out.scopes[scope].body.clone_from(body);
            self.reserve_names(scope, body, &ast);
            let mut imported = Imported::default();
            for stmt in body {
                self.declare_statement(scope, *stmt, &mut imported);
            }
            // The inner scopes see all names of this one, so they are declared after it.
            let mut previous = None;
            for stmt in body {
                self.declare_inner_scopes(scope, *stmt, &mut work, &ast);
                self.declare_broken_class(scope, previous.replace(*stmt), *stmt, &ast);
            }
        }
    }

    /// Reserves memory for the names that a long scope defines, and for their uses of one another. Tables that grow step by
    /// step leave copies behind.
    fn reserve_names(&mut self, scope: ScopeId, body: &Block, ast: &Ast) {
        if body.len() >= LONG_SCOPE {
            let is_definition =
                |stmt: &&StmtId| matches!(ast.stmt(**stmt), Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class(_));
            let definitions = body.iter().filter(is_definition).count();
            self.tables[scope].definitions.reserve(definitions);
            self.tables[scope].dependencies.reserve(definitions);
        }
    }

    /// Adds the scopes that a statement opens.
    fn declare_inner_scopes<'a>(
        &mut self,
        scope: ScopeId,
        stmt: StmtId,
        work: &mut Vec<(ScopeId, &'a Block)>,
        ast: &'a Ast,
    ) {
        let module = self.out.scope(scope).module;
        match ast.stmt(stmt) {
            Stmt::If(branches) => {
                let IfStmt { then, otherwise, .. } = &**branches;
                let then_scope = self.add_scope(module, Some(scope), ScopeKind::Block);
                work.push((then_scope, then));
                let otherwise = otherwise.as_ref().map(|block| {
                    let inner = self.add_scope(module, Some(scope), ScopeKind::Block);
                    work.push((inner, block));
                    inner
                });
                self.set_info(scope, stmt, StmtInfo::If { then: then_scope, otherwise: otherwise.into() });
            }
            Stmt::For(iteration) | Stmt::ForKv(iteration) => {
                let LoopStmt { index, value, body, .. } = &**iteration;
                let inner = self.add_scope(module, Some(scope), ScopeKind::Loop);
                self.declare_params(inner, [index, value]);
                work.push((inner, body));
                self.set_info(scope, stmt, StmtInfo::Loop(inner));
            }
            Stmt::Class(class) => {
                if let StmtInfo::Def(def) = self.out.stmt_info(scope, stmt)
                    && let DefKind::Class { body: inner, .. } = self.out.def(def).kind
                {
                    work.push((inner, &class.body));
                }
            }
            Stmt::Error { .. }
            | Stmt::Bind { .. }
            | Stmt::Panic { .. }
            | Stmt::Resource(_)
            | Stmt::Edge(_)
            | Stmt::Func { .. }
            | Stmt::Include(_)
            | Stmt::Import(_) => {}
        }
    }

    /// Records the resolution of a statement.
    pub(crate) fn set_info(&mut self, scope: ScopeId, stmt: StmtId, info: StmtInfo) {
        let module = self.out.scope(scope).module;
        self.out.modules[module].stmts[stmt] = info;
    }

    /// Declares parameters; of equal names the last one counts (spec 02 §2.3).
    pub(crate) fn declare_params<'a>(&mut self, scope: ScopeId, params: impl IntoIterator<Item = &'a Param>) {
        let unit = self.table(scope).unit;
        for (index, param) in params.into_iter().enumerate() {
            let symbol = self.symbols.defined(unit, param.name);
            let def = self.add_def(scope, param.name, param.span, DefKind::Param { index: index as u32 });
            self.out.scopes[scope].params.push(def);
            self.tables[scope].params.add(symbol, def);
        }
    }

    /// Reports parameters of a function or class that have the same name.
    pub(crate) fn check_params(&mut self, scope: ScopeId, params: &[Param]) {
        let mut seen: FxHashMap<Name, Span> = FxHashMap::default();
        let ast = self.ast(scope);
        for param in params {
            if let Some(first) = seen.insert(param.name, param.span) {
                let name = ast.name(param.name).into();
                self.report_always(scope, ScopeError::DuplicateParameter { name, second: param.span, first });
            }
        }
    }

    fn declare_statement(&mut self, scope: ScopeId, stmt: StmtId, imported: &mut Imported) {
        let ast = self.ast(scope);
        let module = self.out.scope(scope).module;
        match ast.stmt(stmt) {
            Stmt::Bind { name, name_range, .. } => {
                let span = name_range.in_file(ast.file);
                self.define(scope, stmt, Namespace::Variable, *name, span, DefKind::Bind { stmt });
            }
            Stmt::Func { name, name_range, .. } => {
                let span = name_range.in_file(ast.file);
                // The second pass adds the scope, when it reaches the body.
                let kind = DefKind::Func { stmt, scope: None.into() };
                self.define(scope, stmt, Namespace::Function, *name, span, kind);
            }
            Stmt::Class(class) => {
                let ClassStmt { name, name_span, params, .. } = &**class;
                let body = self.add_scope(module, Some(scope), ScopeKind::Block);
                let kind = DefKind::Class { stmt, body };
                let def = self.define(scope, stmt, Namespace::Class, *name, *name_span, kind);
                self.out.scopes[body].kind = ScopeKind::Class(def);
                self.tables[body].enclosing = body;
                self.declare_params(body, params.iter().flatten());
                self.check_params(body, params.as_deref().unwrap_or_default());
            }
            Stmt::Include(include) => {
                let instance = self.add_instance(scope, stmt, InstanceKind::Error);
                self.set_info(scope, stmt, StmtInfo::Instance(instance));
                if let Some((name, span)) = &include.alias {
                    let symbol = self.symbols.defined(self.table(scope).unit, *name);
                    let target = AliasTarget::Instance(instance);
                    self.declare_alias(scope, symbol, Alias { stmt, span: *span, target });
                }
            }
            Stmt::Import(import) => {
                self.declare_import(scope, stmt, &import.module, import.module_span, import.alias, imported);
            }
            Stmt::Error { defines } => {
                for definition in defines {
                    self.declare_broken(scope, stmt, definition, &ast);
                }
            }
            Stmt::Panic { .. } | Stmt::Resource(_) | Stmt::Edge(_) | Stmt::If(_) | Stmt::For(_) | Stmt::ForKv(_) => {}
        }
    }

    /// Declares what a statement with a syntax error seems to define.
    fn declare_broken(&mut self, scope: ScopeId, stmt: StmtId, definition: &Definition, ast: &Ast) {
        let symbol = self.symbols.defined(self.table(scope).unit, definition.name);
        let is_unnamed = ast.name(definition.name).is_empty();
        let namespace = match definition.kind {
            DefinitionKind::Variable => Namespace::Variable,
            DefinitionKind::Function => Namespace::Function,
            DefinitionKind::Class => Namespace::Class,
            DefinitionKind::Mention => {
                self.tables[scope].broken.get_or_insert_default().mentions.insert(symbol);
                return;
            }
            DefinitionKind::Alias if is_unnamed => {
                self.tables[scope].broken.get_or_insert_default().unnamed.push((Unnamed::Alias, None));
                return;
            }
            DefinitionKind::Alias => {
                let alias = Alias { stmt, span: definition.span, target: AliasTarget::Error };
                if ast.name(definition.name) == "*" {
                    self.tables[scope].stars.push((stmt, AliasTarget::Error));
                } else {
                    self.tables[scope].aliases.entry(symbol).or_insert(alias);
                }
                return;
            }
        };
        if is_unnamed {
            self.tables[scope].broken.get_or_insert_default().unnamed.push((Unnamed::In(namespace), None));
            return;
        }
        let def = self.add_def(scope, definition.name, definition.span, DefKind::Error);
        self.tables[scope].definitions.entry((namespace, symbol)).or_insert(def);
    }

    fn define(
        &mut self,
        scope: ScopeId,
        stmt: StmtId,
        namespace: Namespace,
        name: Name,
        span: Span,
        kind: DefKind,
    ) -> DefId {
        let symbol = self.symbols.defined(self.table(scope).unit, name);
        let def = self.add_def(scope, name, span, kind);
        self.set_info(scope, stmt, StmtInfo::Def(def));
        match self.tables[scope].definitions.entry((namespace, symbol)) {
            Entry::Vacant(entry) => {
                entry.insert(def);
            }
            Entry::Occupied(entry) => {
                let first = *entry.get();
                self.out.defs[def].erroneous = true;
                // The first one may be a guess from a statement that was reported already.
                if self.out.def(first).kind != DefKind::Error {
                    let entity = Entity::new(namespace, self.symbols.name(symbol).into());
                    let stmt = self.ast(scope).stmt_span(stmt);
                    let first = self.out.def_span(first);
                    self.report_always(scope, ScopeError::DuplicateDefinition { entity, stmt, name: span, first });
                }
            }
        }
        def
    }

    /// Declares the alias of an include or import.
    pub(crate) fn declare_alias(&mut self, scope: ScopeId, symbol: Symbol, alias: Alias) {
        if let Some(first) = self.table(scope).aliases.get(&symbol) {
            if first.target != AliasTarget::Error {
                let (span, first) = (alias.span, first.span);
                let alias: Arc<str> = self.symbols.name(symbol).into();
                self.report_always(scope, ScopeError::DuplicateAlias { alias, span, first });
            }
        } else {
            self.tables[scope].aliases.insert(symbol, alias);
        }
    }
}
