//! The first pass: the scope tree, and what each list of statements defines.

use std::sync::Arc;

use mcl_diagnostics::Span;
use mcl_modules::{ImportTarget, UnitId};
use mcl_parser::ast::{Block, DefinitionKind, Expr, Name, Param, Stmt, StmtId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Space, Symbol};
use super::{Alias, AliasTarget, Scoper, Use, report};
use crate::scoped::{DefKind, Module, ModuleId, ScopeId, ScopeKind, SlotKind, StmtInfo};
use crate::walk;

/// How a file begins to look for a name: in one of the three spaces, or as the alias of a dotted name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Head {
    Plain(Space),
    Alias,
}

/// The names that a file leaves to its surroundings.
pub(super) type Heads = Arc<[(Head, Symbol)]>;

/// What a list has imported so far.
#[derive(Default)]
struct Imported {
    names: FxHashSet<Arc<str>>,
    aliases: FxHashSet<Symbol>,
}

impl Scoper<'_> {
    /// Makes a module for a file: one that sees nothing around it, or, with the list `site` that contains the import, one
    /// that sees what is around that list.
    pub(super) fn declare_module(&mut self, unit: UnitId, site: Option<ScopeId>) -> ModuleId {
        if site.is_none()
            && let Some(module) = self.closed[unit.0 as usize]
        {
            return module;
        }
        let ast = Arc::clone(&self.out.units[unit.0 as usize]);
        let module = ModuleId(u32::try_from(self.out.modules.len()).expect("fewer than 2^32 modules"));
        self.out.modules.push(Module {
            unit,
            scope: ScopeId(u32::try_from(self.out.scopes.len()).expect("fewer than 2^32 scopes")),
            exprs: vec![Default::default(); ast.exprs.len()],
            stmts: vec![StmtInfo::None; ast.stmts.len()],
        });
        let scope = self.add_scope(module, site, ScopeKind::Module);
        self.tables[scope.index()].skips_parent_list = true;
        let system = self.loaded.units[unit.0 as usize].system.as_deref();
        self.tables[scope.index()].system = system.map(|module| self.symbols.intern(module));
        if site.is_none() {
            self.closed[unit.0 as usize] = Some(module);
            self.unresolved_modules.push(module);
        }
        self.declare_lists(scope, &ast.body);
        module
    }

    /// Declares a list and all lists inside it.
    fn declare_lists(&mut self, scope: ScopeId, body: &Block) {
        let ast = self.ast(scope);
        let mut work: Vec<(ScopeId, &Block)> = vec![(scope, body)];
        while let Some((scope, body)) = work.pop() {
            self.out.scopes[scope.index()].body.clone_from(body);
            let mut imported = Imported::default();
            for stmt in body {
                self.declare_statement(scope, *stmt, &mut imported);
            }
            // The lists inside see this one whole, so they come after it.
            for stmt in body {
                self.declare_inner(scope, *stmt, &mut work, &ast);
            }
        }
    }

    /// Makes the scopes of the lists that a statement contains.
    fn declare_inner<'a>(
        &mut self,
        scope: ScopeId,
        stmt: StmtId,
        work: &mut Vec<(ScopeId, &'a Block)>,
        ast: &'a mcl_parser::ast::Ast,
    ) {
        let module = self.out.scope(scope).module;
        match ast.stmt(stmt) {
            Stmt::If { then, otherwise, .. } => {
                let then_scope = self.add_scope(module, Some(scope), ScopeKind::Block);
                work.push((then_scope, then));
                let otherwise = otherwise.as_ref().map(|block| {
                    let inner = self.add_scope(module, Some(scope), ScopeKind::Block);
                    work.push((inner, block));
                    inner
                });
                self.set_info(scope, stmt, StmtInfo::If { then: then_scope, otherwise });
            }
            Stmt::For { index: first, value, body, .. } | Stmt::ForKv { key: first, value, body, .. } => {
                let inner = self.add_scope(module, Some(scope), ScopeKind::Loop);
                self.declare_params(inner, [first, value]);
                work.push((inner, body));
                self.set_info(scope, stmt, StmtInfo::Loop(inner));
            }
            Stmt::Class { body, .. } => {
                if let StmtInfo::Def(def) = self.out.module(module).stmts[stmt.0 as usize]
                    && let DefKind::Class { body: inner, .. } = self.out.def(def).kind
                {
                    work.push((inner, body));
                }
            }
            Stmt::Error { .. }
            | Stmt::Bind { .. }
            | Stmt::Panic { .. }
            | Stmt::Resource(_)
            | Stmt::Edge(_)
            | Stmt::Func { .. }
            | Stmt::Include { .. }
            | Stmt::Import { .. } => {}
        }
    }

    fn set_info(&mut self, scope: ScopeId, stmt: StmtId, info: StmtInfo) {
        let module = self.out.scope(scope).module;
        self.out.modules[module.index()].stmts[stmt.0 as usize] = info;
    }

    /// Adds parameters; of equal names the last one counts (spec 02 §2.3).
    pub(super) fn declare_params<'a>(&mut self, scope: ScopeId, params: impl IntoIterator<Item = &'a Param>) {
        let unit = self.table(scope).unit;
        for (index, param) in params.into_iter().enumerate() {
            let symbol = self.symbols.whole(unit, param.name);
            let def = self.add_def(scope, symbol, param.span, DefKind::Param { index: index as u32 });
            self.out.scopes[scope.index()].params.push(def);
            self.tables[scope.index()].params.push((symbol, def));
        }
    }

    /// The parameters of a function or class have different names.
    pub(super) fn check_params(&mut self, scope: ScopeId, params: &[Param]) {
        let mut seen: FxHashMap<Name, Span> = FxHashMap::default();
        let ast = self.ast(scope);
        for param in params {
            if let Some(first) = seen.insert(param.name, param.span) {
                self.report_always(scope, report::duplicate_parameter(ast.name(param.name), param.span, first));
            }
        }
    }

    fn declare_statement(&mut self, scope: ScopeId, stmt: StmtId, imported: &mut Imported) {
        let ast = self.ast(scope);
        let module = self.out.scope(scope).module;
        match ast.stmt(stmt) {
            Stmt::Bind { name, name_span, .. } => {
                self.define(scope, stmt, Space::Variable, *name, *name_span, DefKind::Bind { stmt });
            }
            Stmt::Func { name, name_span, .. } => {
                // The scope is made when the function's body is reached.
                let kind = DefKind::Func { stmt, scope: ScopeId(u32::MAX) };
                self.define(scope, stmt, Space::Function, *name, *name_span, kind);
            }
            Stmt::Class { name, name_span, params, .. } => {
                let body = self.add_scope(module, Some(scope), ScopeKind::Block);
                let kind = DefKind::Class { stmt, body };
                let def = self.define(scope, stmt, Space::Class, *name, *name_span, kind);
                self.out.scopes[body.index()].kind = ScopeKind::Class(def);
                self.tables[body.index()].context = body;
                self.declare_params(body, params.iter().flatten());
                self.check_params(body, params.as_deref().unwrap_or_default());
            }
            Stmt::Include { alias, .. } => {
                let slot = self.add_slot(scope, stmt, SlotKind::Broken);
                self.set_info(scope, stmt, StmtInfo::Slot(slot));
                if let Some((name, span)) = alias {
                    let symbol = self.symbols.whole(self.table(scope).unit, *name);
                    self.add_alias(scope, symbol, Alias { stmt, span: *span, target: AliasTarget::Slot(slot) });
                }
            }
            Stmt::Import { module, module_span, alias } => {
                self.declare_import(scope, stmt, module, *module_span, *alias, imported);
            }
            Stmt::Error { defines } => {
                for definition in defines {
                    let symbol = self.symbols.whole(self.table(scope).unit, definition.name);
                    let space = match definition.kind {
                        DefinitionKind::Variable => Space::Variable,
                        DefinitionKind::Function => Space::Function,
                        DefinitionKind::Class => Space::Class,
                        DefinitionKind::Alias => {
                            let alias = Alias { stmt, span: definition.span, target: AliasTarget::Failed };
                            if &**ast.name(definition.name) == "*" {
                                self.tables[scope.index()].stars.push((stmt, AliasTarget::Failed));
                            } else {
                                self.tables[scope.index()].aliases.entry(symbol).or_insert(alias);
                            }
                            continue;
                        }
                    };
                    let def = self.add_def(scope, symbol, definition.span, DefKind::Unknown);
                    self.space(scope, space).entry(symbol).or_insert(def);
                }
            }
            Stmt::Panic { .. }
            | Stmt::Resource(_)
            | Stmt::Edge(_)
            | Stmt::If { .. }
            | Stmt::For { .. }
            | Stmt::ForKv { .. } => {}
        }
    }

    fn space(&mut self, scope: ScopeId, space: Space) -> &mut rustc_hash::FxHashMap<Symbol, crate::scoped::DefId> {
        let table = &mut self.tables[scope.index()];
        match space {
            Space::Variable => &mut table.variables,
            Space::Function => &mut table.functions,
            Space::Class => &mut table.classes,
        }
    }

    fn define(
        &mut self,
        scope: ScopeId,
        stmt: StmtId,
        space: Space,
        name: Name,
        span: Span,
        kind: DefKind,
    ) -> crate::scoped::DefId {
        let symbol = self.symbols.whole(self.table(scope).unit, name);
        let def = self.add_def(scope, symbol, span, kind);
        self.set_info(scope, stmt, StmtInfo::Def(def));
        match self.space(scope, space).entry(symbol) {
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(def);
            }
            std::collections::hash_map::Entry::Occupied(entry) => {
                let first = *entry.get();
                self.out.defs[def.index()].broken = true;
                // The first one may be a guess from a statement that was reported already.
                if self.out.def(first).kind != DefKind::Unknown {
                    let text = self.symbols.text(symbol);
                    let stmt_span = self.ast(scope).stmt_span(stmt);
                    let diagnostic = report::duplicate(space, text, stmt_span, span, self.out.def(first).span);
                    self.report_always(scope, diagnostic);
                }
            }
        }
        def
    }

    fn add_alias(&mut self, scope: ScopeId, symbol: Symbol, alias: Alias) {
        if let Some(first) = self.table(scope).aliases.get(&symbol) {
            if first.target != AliasTarget::Failed {
                let span = self.ast(scope).stmt_span(alias.stmt);
                let diagnostic = report::duplicate_alias(self.symbols.text(symbol), span, alias.span, first.span);
                self.report_always(scope, diagnostic);
            }
        } else {
            self.tables[scope.index()].aliases.insert(symbol, alias);
        }
    }

    fn declare_import(
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
        let duplicate = !imported.names.insert(Arc::clone(module));
        let loaded = self.loaded;
        let import = loaded.import(unit, module);
        let target = match import.map(|import| &import.target) {
            // A name that the loader did not see; it looks at tokens, so this cannot happen in a file that parses.
            None => AliasTarget::Failed,
            // Reported by the parser (E0311).
            Some(ImportTarget::Failed(_)) if module.is_empty() => AliasTarget::Failed,
            Some(ImportTarget::Failed(failure)) => {
                self.report(scope, failure.to_diagnostic(stmt_span));
                AliasTarget::Failed
            }
            Some(ImportTarget::System) if mcl_functions::module_exists(module) => {
                AliasTarget::System(self.symbols.intern(module))
            }
            Some(ImportTarget::System) => {
                self.report(scope, report::unknown_module(module, stmt_span));
                // Most likely the rest of the file has the name right.
                if let Some(near) = report::near_module(module) {
                    let alias = near.rsplit('/').next().unwrap_or(near);
                    let alias = self.symbols.intern(alias);
                    self.meant.insert(alias);
                }
                AliasTarget::Failed
            }
            Some(ImportTarget::Unit(unit)) => self.import_unit(scope, stmt, *unit, stmt_span),
        };
        if duplicate {
            self.report_always(scope, report::duplicate_import(module, stmt_span));
        }
        let (symbol, span) = match alias {
            Some((name, _)) if &**ast.name(name) == "*" => {
                self.tables[scope.index()].stars.push((stmt, target));
                return;
            }
            Some((name, span)) => (self.symbols.whole(unit, name), span),
            None => match import.and_then(|import| import.name.as_ref()) {
                Some(name) => (self.symbols.intern(&name.alias), module_span),
                None => return,
            },
        };
        let both_imports = !imported.aliases.insert(symbol);
        if both_imports {
            if !duplicate {
                let first = self.table(scope).aliases[&symbol].span;
                let diagnostic = report::duplicate_import_alias(self.symbols.text(symbol), stmt_span, span, first);
                self.report_always(scope, diagnostic);
            }
        } else {
            self.add_alias(scope, symbol, Alias { stmt, span, target });
        }
    }

    /// The module of an imported file: shared if the file uses no name from around the import.
    fn import_unit(&mut self, scope: ScopeId, stmt: StmtId, unit: UnitId, span: Span) -> AliasTarget {
        let site = Some(scope).filter(|_| self.captures(unit, scope));
        if site.is_some() && self.is_inside(unit, scope) {
            // A file that imports itself from inside a block.
            self.report_always(scope, report::recursive_import(span));
            let slot = self.add_slot(scope, stmt, SlotKind::Broken);
            self.set_info(scope, stmt, StmtInfo::Slot(slot));
            self.slots[slot.index()] = super::SlotState::Done;
            return AliasTarget::Failed;
        }
        let new = site.is_some() || self.closed[unit.0 as usize].is_none();
        let module = self.declare_module(unit, site);
        let slot = self.add_slot(scope, stmt, SlotKind::Module(module));
        self.set_info(scope, stmt, StmtInfo::Slot(slot));
        if new {
            self.check_imported(module, span);
        }
        AliasTarget::Slot(slot)
    }

    /// An imported file only defines (spec 02 §2.8).
    fn check_imported(&mut self, module: ModuleId, import: Span) {
        let scope = self.out.module(module).scope;
        let ast = self.ast(scope);
        for stmt in &ast.body {
            let what = match ast.stmt(*stmt) {
                Stmt::Error { .. }
                | Stmt::Bind { .. }
                | Stmt::Func { .. }
                | Stmt::Class { .. }
                | Stmt::Import { .. } => continue,
                Stmt::If { condition, .. } if *ast.expr(*condition) == Expr::Error => continue,
                Stmt::Panic { .. } => "a panic",
                Stmt::Resource(resource) if resource.collect => "a collect",
                Stmt::Resource(_) => "a resource",
                Stmt::Edge(_) => "an edge",
                Stmt::If { .. } => "an if statement",
                Stmt::For { .. } | Stmt::ForKv { .. } => "a loop",
                Stmt::Include { .. } => "an include",
            };
            self.report_always(scope, report::not_importable(what, ast.stmt_span(*stmt), import));
        }
    }

    /// Whether a scope lies in a module of this file.
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

    /// Whether a file, imported in the list `site`, uses a name that is defined around that list.
    fn captures(&mut self, unit: UnitId, site: ScopeId) -> bool {
        let is_system = self.loaded.units[unit.0 as usize].system.is_some();
        if is_system || self.out.scope(site).parent.is_none() {
            return false;
        }
        let heads = self.unit_heads(unit);
        heads.iter().any(|(head, symbol)| self.visible_around(*head, *symbol, site))
    }

    fn visible_around(&self, head: Head, symbol: Symbol, site: ScopeId) -> bool {
        let mut current = Some((site, true));
        while let Some((scope, skips_list)) = current {
            let table = self.table(scope);
            let in_list = || match head {
                Head::Plain(Space::Variable) => table.variables.contains_key(&symbol),
                Head::Plain(Space::Function) => table.functions.contains_key(&symbol),
                Head::Plain(Space::Class) => table.classes.contains_key(&symbol),
                Head::Alias => table.aliases.contains_key(&symbol),
            };
            let is_param = head == Head::Plain(Space::Variable) && table.params.iter().any(|(name, _)| *name == symbol);
            if is_param || !skips_list && (in_list() || !table.stars.is_empty()) {
                return true;
            }
            current = self.out.scope(scope).parent.map(|parent| (parent, table.skips_parent_list));
        }
        false
    }

    /// The names that a file and the files it imports use and do not define at their top level.
    fn unit_heads(&mut self, unit: UnitId) -> Heads {
        if let Some(heads) = &self.heads[unit.0 as usize] {
            return Arc::clone(heads);
        }
        // Found again on the way means a circle of imports, which is reported elsewhere.
        self.heads[unit.0 as usize] = Some(Arc::from([]));
        let ast = Arc::clone(&self.out.units[unit.0 as usize]);
        let mut used: FxHashSet<(Head, Symbol)> = FxHashSet::default();
        let mut defined: FxHashSet<(Head, Symbol)> = FxHashSet::default();
        let mut inner = Vec::new();
        let head = |symbols: &super::Symbols, space: Space, name: Name| match symbols.parts(unit, name) {
            [one] => (Head::Plain(space), *one),
            parts => (Head::Alias, parts[0]),
        };
        for expr in &ast.exprs {
            match expr {
                Expr::Var(name) | Expr::CallVar { name, .. } => {
                    used.insert(head(&self.symbols, Space::Variable, *name));
                }
                Expr::Call { name, .. } => {
                    used.insert(head(&self.symbols, Space::Function, *name));
                }
                _ => walk::parts(expr, |_| {}),
            }
        }
        for stmt in &ast.stmts {
            match stmt {
                Stmt::Include { class, .. } => {
                    used.insert(head(&self.symbols, Space::Class, *class));
                }
                Stmt::Import { module, .. } => {
                    if let Some(import) = self.loaded.import(unit, module)
                        && let ImportTarget::Unit(target) = import.target
                    {
                        inner.push(target);
                    }
                }
                _ => {}
            }
        }
        for target in inner {
            used.extend(self.unit_heads(target).iter().copied());
        }
        for stmt in &ast.body {
            match ast.stmt(*stmt) {
                Stmt::Bind { name, .. } => {
                    defined.insert((Head::Plain(Space::Variable), self.symbols.whole(unit, *name)));
                }
                Stmt::Func { name, .. } => {
                    defined.insert((Head::Plain(Space::Function), self.symbols.whole(unit, *name)));
                }
                Stmt::Class { name, .. } => {
                    defined.insert((Head::Plain(Space::Class), self.symbols.whole(unit, *name)));
                }
                Stmt::Import { alias: Some((alias, _)), .. } => {
                    defined.insert((Head::Alias, self.symbols.whole(unit, *alias)));
                }
                Stmt::Import { module, alias: None, .. } => {
                    if let Some(name) = self.loaded.import(unit, module).and_then(|import| import.name.as_ref()) {
                        defined.insert((Head::Alias, self.symbols.intern(&name.alias)));
                    }
                }
                _ => {}
            }
        }
        let mut heads: Vec<_> = used.difference(&defined).copied().collect();
        heads.sort_unstable_by_key(|(_, symbol)| *symbol);
        let heads: Heads = heads.into();
        self.heads[unit.0 as usize] = Some(Arc::clone(&heads));
        heads
    }

    /// `import "lib" as *` may bring in `a.name`; then no later import with the alias `a` may have `name` as well.
    pub(super) fn collide_with_stars(&mut self, scope: ScopeId, stmt: StmtId, span: Span) {
        let table = self.table(scope);
        if table.stars.is_empty() {
            return;
        }
        let Some((alias, target)) =
            table.aliases.iter().find(|(_, alias)| alias.stmt == stmt).map(|(name, alias)| (*name, alias.target))
        else {
            return;
        };
        let before = |star: &StmtId| star.0 < stmt.0;
        let stars: Vec<(StmtId, AliasTarget)> = self.table(scope).stars.clone();
        for (_, star) in stars.into_iter().filter(|(star, _)| before(star)) {
            let AliasTarget::Slot(slot) = star else { continue };
            let Some(module) = self.out.slot_scope(slot) else { continue };
            let Some(inner) = self.table(module).aliases.get(&alias).map(|alias| alias.target) else { continue };
            let clash = match (inner, target) {
                (AliasTarget::Failed, _) | (_, AliasTarget::Failed) => None,
                // Both export the built-in names.
                (AliasTarget::Slot(_), AliasTarget::Slot(_)) => Some(self.symbols.intern("len")),
                (AliasTarget::Slot(_), AliasTarget::System(module)) => self.shared_name(inner, module),
                (AliasTarget::System(module), AliasTarget::Slot(_)) => self.shared_name(target, module),
                (AliasTarget::System(a), AliasTarget::System(b)) => {
                    let names = self.system_functions(a);
                    names.into_iter().find(|name| self.system_function(Some(b), *name).is_some())
                }
            };
            if let Some(name) = clash {
                let (module, name) = (self.symbols.text(alias), self.symbols.text(name));
                self.report_always(scope, report::star_collision(module, name, span));
                return;
            }
        }
    }

    fn shared_name(&mut self, file: AliasTarget, module: Symbol) -> Option<Symbol> {
        let names = self.system_functions(module);
        names.into_iter().find(|name| {
            let parts = [*name];
            self.member(Use { space: Space::Function, parts: &parts }, file).is_some()
        })
    }
}
