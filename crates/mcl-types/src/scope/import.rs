//! Import statements: which module an import leads to, and what it may conflict with (spec 02 §2.8).

use std::sync::Arc;

use cranelift_entity::SecondaryMap;
use mcl_diagnostics::Span;
use mcl_modules::{ImportTarget, UnitId};
use mcl_parser::ast::{Expr, Name, Stmt, StmtId};
use rustc_hash::FxHashSet;

use crate::scope::Resolver;
use crate::scope::error::{MAX_CYCLE_LABELS, ScopeError, similar_module};
use crate::scope::names::{NameUse, Namespace, Symbol};
use crate::scope::table::{Alias, AliasTarget, ClassLookup, FreeName, FreeNames, Visible};
use crate::scoped::{InstanceId, InstanceKind, ModuleId, ScopeId, StmtInfo};
use crate::stack::with_stack;

/// The imports of a scope so far.
#[derive(Default)]
pub(crate) struct Imported {
    names: FxHashSet<Arc<str>>,
    aliases: FxHashSet<Symbol>,
}

/// The state of a module in the search for cycles of imports.
#[derive(Clone, Copy, Default, PartialEq)]
enum Visit {
    #[default]
    NotStarted,
    InProgress,
    Done,
}

impl Resolver<'_> {
    /// Declares the names that an import statement makes available.
    pub(crate) fn declare_import(
        &mut self,
        scope: ScopeId,
        stmt: StmtId,
        module: &Arc<str>,
        module_span: Span,
        alias: Option<(Name, Span)>,
        imported: &mut Imported,
    ) {
        let ast = self.ast(scope);
        let unit = self.table(scope).unit;
        let stmt_span = ast.stmt_span(stmt);
        let is_duplicate = !imported.names.insert(Arc::clone(module));
        let target = self.import_target(scope, stmt, module, module_span, stmt_span);
        if is_duplicate {
            self.report_always(
                scope,
                ScopeError::DuplicateImport { module: Arc::clone(module), span: module_span, stmt: stmt_span },
            );
        }
        let (symbol, span) = match alias {
            Some((name, _)) if ast.name(name) == "*" => {
                self.tables[scope].stars.push((stmt, target));
                return;
            }
            Some((name, span)) => (self.symbols.defined(unit, name), span),
            None => match self.loaded.import(unit, module).and_then(|import| import.name.as_ref()) {
                Some(name) => (self.symbols.intern(&name.alias), module_span),
                None => return,
            },
        };
        let is_duplicate_alias = !imported.aliases.insert(symbol);
        if !is_duplicate_alias {
            self.declare_alias(scope, symbol, Alias { stmt, span, target });
        } else if !is_duplicate {
            let first = self.table(scope).aliases[&symbol].span;
            let alias: Arc<str> = self.symbols.name(symbol).into();
            self.report_always(scope, ScopeError::DuplicateImportAlias { alias, span, first });
        }
    }

    fn import_target(
        &mut self,
        scope: ScopeId,
        stmt: StmtId,
        module: &Arc<str>,
        module_span: Span,
        span: Span,
    ) -> AliasTarget {
        let loaded = self.loaded;
        match loaded.import(self.table(scope).unit, module).map(|import| &import.target) {
            // The loader looks at tokens, so in a file that parses it has seen every import.
            None => AliasTarget::Error,
            // Reported by the parser (E0311).
            Some(ImportTarget::Failed(_)) if module.is_empty() => AliasTarget::Error,
            Some(ImportTarget::Failed(failure)) => {
                self.report(scope, ScopeError::ImportFailed { failure: failure.clone(), module_span });
                AliasTarget::Error
            }
            Some(ImportTarget::System) if mcl_functions::module_exists(module) => {
                AliasTarget::System(self.symbols.intern(module))
            }
            Some(ImportTarget::System) => {
                self.report(scope, ScopeError::UnknownModule { module: Arc::clone(module), module_span });
                // The rest of the file most likely spells the name right.
                let unit = self.table(scope).unit;
                self.units_with_unknown_modules.insert(unit);
                if let Some(near) = similar_module(module) {
                    let alias = near.rsplit('/').next().unwrap_or(near);
                    let alias = self.symbols.intern(alias);
                    self.misspelt_aliases.insert(alias);
                }
                AliasTarget::Error
            }
            Some(ImportTarget::Unit(unit)) => self.import_unit(scope, stmt, *unit, span),
        }
    }

    /// Returns the module of an imported file: a shared one if the file uses no name from around the import.
    fn import_unit(&mut self, scope: ScopeId, stmt: StmtId, unit: UnitId, span: Span) -> AliasTarget {
        let site = Some(scope).filter(|_| self.captures(unit, scope));
        if site.is_some() && self.is_inside(unit, scope) {
            // A file that imports itself from inside a block.
            let cycle = ScopeError::ImportCycle { stmt: span, others: Vec::new(), files: Vec::new() };
            self.report_always(scope, cycle);
            let instance = self.add_instance(scope, stmt, InstanceKind::Error);
            self.set_info(scope, stmt, StmtInfo::Instance(instance));
            self.class_lookups[instance] = ClassLookup::Done;
            return AliasTarget::Error;
        }
        let is_new = site.is_some() || self.shared_modules[unit].is_none();
        let module = self.declare_module(unit, site);
        let instance = self.add_instance(scope, stmt, InstanceKind::Module(module));
        self.set_info(scope, stmt, StmtInfo::Instance(instance));
        if is_new {
            self.check_imported(module, span);
        }
        AliasTarget::Instance(instance)
    }

    /// Reports statements of an imported file that are not definitions (spec 02 §2.8).
    fn check_imported(&mut self, module: ModuleId, import: Span) {
        let scope = self.out.module(module).scope;
        let ast = self.ast(scope);
        for stmt in &ast.body {
            let construct = match ast.stmt(*stmt) {
                Stmt::Error { .. } | Stmt::Bind { .. } | Stmt::Func { .. } | Stmt::Class(_) | Stmt::Import(_) => {
                    continue;
                }
                Stmt::If(branches) if *ast.expr(branches.condition) == Expr::Error => continue,
                Stmt::Panic { .. } => "a panic",
                Stmt::Resource(resource) if resource.collect => "a collect",
                Stmt::Resource(_) => "a resource",
                Stmt::Edge(_) => "an edge",
                Stmt::If(_) => "an if statement",
                Stmt::For(_) | Stmt::ForKv(_) => "a loop",
                Stmt::Include(_) => "an include",
            };
            let whole = ast.stmt_span(*stmt);
            // Not what is in it.
            let end = match ast.stmt(*stmt) {
                Stmt::Resource(resource) => ast.expr_span(resource.name).end,
                Stmt::If(branches) => ast.expr_span(branches.condition).end,
                Stmt::For(of) | Stmt::ForKv(of) => ast.expr_span(of.iterable).end,
                _ => whole.end,
            };
            let stmt = Span { end: end.clamp(whole.start, whole.end), ..whole };
            self.report_always(scope, ScopeError::NotImportable { construct, stmt, import });
        }
    }

    /// Returns whether a scope is inside a module of this file.
    fn is_inside(&self, unit: UnitId, scope: ScopeId) -> bool {
        let mut current = Some(scope);
        while let Some(scope) = current {
            if self.table(scope).unit == unit {
                return true;
            }
            current = self.out.scope(scope).parent;
        }
        false
    }

    /// Returns whether a file that the scope `site` imports uses a name that is defined around `site`.
    fn captures(&mut self, unit: UnitId, site: ScopeId) -> bool {
        let is_system = self.loaded.units[unit].system.is_some();
        if is_system || self.out.scope(site).parent.is_none() {
            return false;
        }
        let names = self.free_names(unit);
        names.iter().any(|name| self.is_visible_around(*name, site))
    }

    fn is_visible_around(&self, name: FreeName, site: ScopeId) -> bool {
        let mut current = Some((site, Visible::Parameters));
        while let Some((scope, visible)) = current {
            let table = self.table(scope);
            let is_param = match name {
                FreeName::Simple(Namespace::Variable, symbol) => table.param(symbol).is_some(),
                FreeName::Simple(Namespace::Function | Namespace::Class, _) | FreeName::Alias(_) => false,
            };
            let is_defined = || match name {
                FreeName::Simple(namespace, symbol) => table.definitions.contains_key(&(namespace, symbol)),
                FreeName::Alias(symbol) => table.aliases.contains_key(&symbol),
            };
            if is_param || visible == Visible::All && (is_defined() || !table.stars.is_empty()) {
                return true;
            }
            current = self.around(scope);
        }
        false
    }

    /// Returns the names that a file and the files it imports use and do not define at their top level.
    fn free_names(&mut self, unit: UnitId) -> FreeNames {
        if let Some(names) = &self.free_names[unit] {
            return Arc::clone(names);
        }
        // A file that is found again during its own search imports itself, which is reported elsewhere.
        self.free_names[unit] = Some(Arc::from([]));
        let used = with_stack(|| self.used_names(unit));
        let defined = self.top_level_names(unit);
        let mut names: Vec<_> = used.difference(&defined).copied().collect();
        names.sort_unstable_by_key(|name| name.symbol());
        let names: FreeNames = names.into();
        self.free_names[unit] = Some(Arc::clone(&names));
        names
    }

    fn used_names(&mut self, unit: UnitId) -> FxHashSet<FreeName> {
        let ast = Arc::clone(&self.out.units[unit]);
        let first_part = |namespace: Namespace, name: Name| match self.symbols.parts(unit, name) {
            [simple] => FreeName::Simple(namespace, *simple),
            parts => FreeName::Alias(parts[0]),
        };
        let mut used: FxHashSet<FreeName> = FxHashSet::default();
        for expr in ast.exprs.values() {
            match expr {
                Expr::Var(name) | Expr::CallVar { name, .. } => {
                    used.insert(first_part(Namespace::Variable, *name));
                }
                Expr::Call { name, .. } => {
                    used.insert(first_part(Namespace::Function, *name));
                }
                _ => {}
            }
        }
        let mut imports = Vec::new();
        for stmt in ast.stmts.values() {
            match stmt {
                Stmt::Include(include) => {
                    used.insert(first_part(Namespace::Class, include.class));
                }
                Stmt::Import(import) => {
                    if let Some(import) = self.loaded.import(unit, &import.module)
                        && let ImportTarget::Unit(target) = import.target
                    {
                        imports.push(target);
                    }
                }
                _ => {}
            }
        }
        for target in imports {
            used.extend(self.free_names(target).iter().copied());
        }
        used
    }

    fn top_level_names(&mut self, unit: UnitId) -> FxHashSet<FreeName> {
        let ast = Arc::clone(&self.out.units[unit]);
        let mut defined: FxHashSet<FreeName> = FxHashSet::default();
        for stmt in &ast.body {
            let mut define = |namespace, name| defined.insert(FreeName::Simple(namespace, name));
            match ast.stmt(*stmt) {
                Stmt::Bind { name, .. } => {
                    define(Namespace::Variable, self.symbols.defined(unit, *name));
                }
                Stmt::Func { name, .. } => {
                    define(Namespace::Function, self.symbols.defined(unit, *name));
                }
                Stmt::Class(class) => {
                    define(Namespace::Class, self.symbols.defined(unit, class.name));
                }
                Stmt::Import(import) => {
                    let name = || self.loaded.import(unit, &import.module)?.name.as_ref();
                    if let Some((alias, _)) = import.alias {
                        defined.insert(FreeName::Alias(self.symbols.defined(unit, alias)));
                    } else if let Some(name) = name() {
                        defined.insert(FreeName::Alias(self.symbols.intern(&name.alias)));
                    }
                }
                _ => {}
            }
        }
        defined
    }

    /// Reports an import whose alias an earlier `import "lib" as *` brought in as well, if both provide the same name.
    pub(crate) fn check_star_collision(&mut self, scope: ScopeId, stmt: StmtId, span: Span) {
        let table = self.table(scope);
        if table.stars.is_empty() {
            return;
        }
        let Some((alias, target)) =
            table.aliases.iter().find(|(_, alias)| alias.stmt == stmt).map(|(name, alias)| (*name, alias.target))
        else {
            return;
        };
        let stars: Vec<AliasTarget> =
            table.stars.iter().filter(|(star, _)| *star < stmt).map(|(_, target)| *target).collect();
        for star in stars {
            let AliasTarget::Instance(instance) = star else { continue };
            let Some(module) = self.out.instance_scope(instance) else { continue };
            let Some(inner) = self.table(module).aliases.get(&alias).map(|alias| alias.target) else { continue };
            if let Some(name) = self.common_name(inner, target) {
                let (module, name) = (self.symbols.name(alias).into(), self.symbols.name(name).into());
                self.report_always(scope, ScopeError::StarCollision { module, name, stmt: span });
                return;
            }
        }
    }

    /// Returns a name that two aliases both give access to.
    fn common_name(&mut self, a: AliasTarget, b: AliasTarget) -> Option<Symbol> {
        match (a, b) {
            (AliasTarget::Error, _) | (_, AliasTarget::Error) => None,
            // Both export the built-in names.
            (AliasTarget::Instance(_), AliasTarget::Instance(_)) => Some(self.symbols.intern("len")),
            (file @ AliasTarget::Instance(_), AliasTarget::System(module))
            | (AliasTarget::System(module), file @ AliasTarget::Instance(_)) => {
                let names = self.native_names(module);
                names.into_iter().find(|name| {
                    let parts = [*name];
                    self.member(NameUse { namespace: Namespace::Function, parts: &parts }, file).is_some()
                })
            }
            (AliasTarget::System(a), AliasTarget::System(b)) => {
                let names = self.native_names(a);
                names.into_iter().find(|name| self.native_function(Some(b), *name).is_some())
            }
        }
    }

    /// Makes the error for a cycle of imports. `chain` holds the modules of the cycle, each with the number of its imports
    /// that were visited; `stmt` is the import that closes it.
    fn import_cycle(
        &self,
        stmt: Span,
        chain: &[(ModuleId, usize)],
        imports: &SecondaryMap<ModuleId, Vec<(InstanceId, ModuleId)>>,
    ) -> ScopeError {
        let spans = chain.iter().map(|(module, next)| {
            let import = next.checked_sub(1).and_then(|last| imports[*module].get(last));
            import.map_or(stmt, |(instance, _)| self.out.instance_span(*instance))
        });
        let spans: Vec<Span> = spans.collect();
        let name = |span: &Span| self.loaded.files.get(span.file).map(|file| Arc::clone(&file.name));
        let mut files: Vec<Arc<str>> = spans.iter().filter_map(name).collect();
        files.extend(files.first().cloned());
        if chain.len() < 2 {
            files.clear();
        }
        let others = spans.into_iter().filter(|span| *span != stmt).take(MAX_CYCLE_LABELS).collect();
        ScopeError::ImportCycle { stmt, others, files }
    }

    /// Reports files that import each other, and invalidates one import of each cycle.
    pub(crate) fn break_import_cycles(&mut self) {
        let mut imports: SecondaryMap<ModuleId, Vec<(InstanceId, ModuleId)>> = SecondaryMap::new();
        for (id, instance) in &self.out.instances {
            if let InstanceKind::Module(module) = instance.kind {
                imports[self.out.scope(instance.scope).module].push((id, module));
            }
        }
        let mut visits: SecondaryMap<ModuleId, Visit> = SecondaryMap::new();
        for start in self.out.modules.keys() {
            if visits[start] != Visit::NotStarted {
                continue;
            }
            visits[start] = Visit::InProgress;
            let mut stack = vec![(start, 0)];
            while let Some((module, next)) = stack.last_mut() {
                let Some((instance, target)) = imports[*module].get(*next).copied() else {
                    visits[*module] = Visit::Done;
                    stack.pop();
                    continue;
                };
                *next += 1;
                match visits[target] {
                    Visit::Done => {}
                    Visit::NotStarted => {
                        visits[target] = Visit::InProgress;
                        stack.push((target, 0));
                    }
                    Visit::InProgress => {
                        let scope = self.out.instance(instance).scope;
                        let stmt = self.out.instance_span(instance);
                        self.out.instances[instance].kind = InstanceKind::Error;
                        let from = stack.iter().position(|(module, _)| *module == target).unwrap_or(0);
                        let cycle = self.import_cycle(stmt, &stack[from..], &imports);
                        self.report_always(scope, cycle);
                    }
                }
            }
        }
    }
}
