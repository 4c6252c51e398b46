//! Lookup of names.

use std::sync::Arc;

use mcl_parser::ast::{Stmt, StmtId};
use smallvec::SmallVec;

use crate::builtin;
use crate::scope::Resolver;
use crate::scope::names::{NameParts, NameUse, Namespace, Symbol};
use crate::scope::table::{AliasTarget, ClassLookup, Visible};
use crate::scoped::{BuiltinId, DefKind, InstanceId, InstanceKind, ScopeId, Target};
use crate::stack::with_stack;

/// The definition that a name refers to, and how it was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// The instances on the way to it, the innermost first.
    pub(crate) path: SmallVec<[InstanceId; 2]>,
    /// `None` for a definition with an error that was reported already.
    pub(crate) target: Option<Target>,
    /// The statements that made the name visible, with their scopes.
    pub(crate) providers: SmallVec<[(ScopeId, StmtId); 2]>,
}

impl Found {
    fn target(target: Target) -> Found {
        Found { path: SmallVec::new(), target: Some(target), providers: SmallVec::new() }
    }

    fn erroneous() -> Found {
        Found { path: SmallVec::new(), target: None, providers: SmallVec::new() }
    }

    fn provided_by(mut self, scope: ScopeId, stmt: StmtId) -> Found {
        self.providers.push((scope, stmt));
        self
    }

    fn inside(mut self, instance: InstanceId) -> Found {
        self.path.push(instance);
        self
    }
}

impl Resolver<'_> {
    /// Looks a name up from a scope outwards, then among the built-in names.
    pub(crate) fn lookup(&mut self, name: NameUse<'_>, scope: ScopeId) -> Option<Found> {
        let mut current = Some((scope, Visible::All));
        let mut has_failed_import = false;
        while let Some((scope, visible)) = current {
            if let Some(found) = self.lookup_in(name, scope, visible, &mut Vec::new()) {
                return Some(found);
            }
            let stars = &self.table(scope).stars;
            has_failed_import |= visible == Visible::All && stars.iter().any(|(_, target)| self.is_failed(*target));
            current = self.around(scope);
        }
        // A module that could not be loaded may define the name.
        self.lookup_builtin(name).or_else(|| has_failed_import.then(Found::erroneous))
    }

    /// Looks a name up in one scope; `searched` holds the files already searched without success through `import … as *`.
    fn lookup_in(
        &mut self,
        name: NameUse<'_>,
        scope: ScopeId,
        visible: Visible,
        searched: &mut Vec<ScopeId>,
    ) -> Option<Found> {
        let table = self.table(scope);
        if let [symbol] = name.parts {
            if visible == Visible::All
                && let Some(def) = table.definitions.get(&(name.namespace, *symbol))
            {
                let found = Found::target(Target::Def(*def));
                return Some(match self.out.def(*def).kind {
                    DefKind::Bind { stmt } | DefKind::Func { stmt, .. } | DefKind::Class { stmt, .. } => {
                        found.provided_by(scope, stmt)
                    }
                    DefKind::Param { .. } => found,
                    DefKind::Error => Found::erroneous(),
                });
            }
            if name.namespace == Namespace::Variable
                && let Some(def) = table.param(*symbol)
            {
                return Some(Found::target(Target::Def(def)));
            }
        } else if visible == Visible::All
            && let Some(alias) = table.aliases.get(&name.parts[0])
        {
            let (stmt, target) = (alias.stmt, alias.target);
            if let Some(found) = self.member(NameUse { parts: &name.parts[1..], ..name }, target) {
                return Some(found.provided_by(scope, stmt));
            }
        }
        if visible == Visible::Parameters {
            return None;
        }
        for i in (0..self.table(scope).stars.len()).rev() {
            let (stmt, target) = self.table(scope).stars[i];
            let found = match target {
                AliasTarget::Error => None,
                AliasTarget::System(_) => self.member(name, target),
                AliasTarget::Instance(instance) => self.out.instance_scope(instance).and_then(|module| {
                    if searched.contains(&module) {
                        return None;
                    }
                    searched.push(module);
                    Some(with_stack(|| self.lookup_in(name, module, Visible::All, searched))?.inside(instance))
                }),
            };
            if let Some(found) = found {
                return Some(found.provided_by(scope, stmt));
            }
        }
        // The mcl part of a system module sees and exports the native part as its own.
        self.table(scope).system.and_then(|module| self.member(name, AliasTarget::System(module)))
    }

    /// Looks up a name that an alias gives access to: anything in the final scope of the class body or file
    /// (spec 02 §2.7).
    pub(crate) fn member(&mut self, name: NameUse<'_>, alias: AliasTarget) -> Option<Found> {
        match alias {
            AliasTarget::Error => Some(Found::erroneous()),
            AliasTarget::System(module) => {
                let [symbol] = name.parts else { return None };
                match name.namespace {
                    Namespace::Function => {
                        self.native_function(Some(module), *symbol).map(|id| Found::target(Target::Function(id)))
                    }
                    Namespace::Variable => {
                        let name = format!("{}.{}", self.symbols.name(module), self.symbols.name(*symbol));
                        builtin::variable(&name).map(|_| Found::target(Target::Variable(self.builtin(&name))))
                    }
                    Namespace::Class => None,
                }
            }
            AliasTarget::Instance(instance) => {
                self.look_up_class(instance);
                match self.out.instance_scope(instance) {
                    Some(scope) => Some(with_stack(|| self.lookup(name, scope))?.inside(instance)),
                    None => Some(Found::erroneous()),
                }
            }
        }
    }

    /// Returns whether an import provides no names because it failed.
    fn is_failed(&self, target: AliasTarget) -> bool {
        match target {
            AliasTarget::Error => true,
            AliasTarget::System(_) => false,
            AliasTarget::Instance(instance) => self.out.instance_scope(instance).is_none(),
        }
    }

    fn lookup_builtin(&mut self, name: NameUse<'_>) -> Option<Found> {
        match (name.namespace, name.parts) {
            (Namespace::Function, [symbol]) => {
                self.native_function(None, *symbol).map(|id| Found::target(Target::Function(id)))
            }
            (Namespace::Variable, parts) => {
                let registered: Arc<str> = match parts {
                    [simple] => self.symbols.name(*simple).into(),
                    _ if self.symbols.name(parts[0]) == "const" => self.symbols.dotted(parts).into(),
                    _ => return None,
                };
                builtin::variable(&registered)
                    .filter(|variable| variable.global)
                    .map(|_| Found::target(Target::Variable(self.builtin(&registered))))
            }
            (Namespace::Function | Namespace::Class, _) => None,
        }
    }

    /// Returns the id of a built-in name.
    fn builtin(&mut self, registered: &str) -> BuiltinId {
        self.builtin_index.intern(&mut self.out.builtins, registered)
    }

    /// Returns the id of a native function.
    pub(crate) fn native_function(&mut self, module: Option<Symbol>, name: Symbol) -> Option<BuiltinId> {
        if let Some(known) = self.native_functions.get(&(module, name)) {
            return *known;
        }
        let short = self.symbols.name(name);
        let registered: Arc<str> = match module {
            Some(module) => format!("{}.{short}", self.symbols.name(module)).into(),
            None => short.into(),
        };
        let is_function = !short.starts_with('_') && mcl_functions::function(&registered).is_some();
        let found = is_function.then(|| self.builtin(&registered));
        self.native_functions.insert((module, name), found);
        found
    }

    /// Returns the names of the native functions of a module.
    pub(crate) fn native_names(&mut self, module: Symbol) -> Vec<Symbol> {
        let module: Arc<str> = self.symbols.name(module).into();
        builtin::functions_of(&module).map(|name| self.symbols.intern(name)).collect()
    }

    /// Looks up the class of an include statement, after those of the aliases that its name begins with.
    pub(crate) fn look_up_class(&mut self, instance: InstanceId) {
        let mut stack = vec![instance];
        while let Some(top) = stack.last().copied() {
            match self.class_lookups[top] {
                ClassLookup::NotStarted => {
                    self.class_lookups[top] = ClassLookup::InProgress;
                    stack.extend(self.prerequisite(top));
                }
                ClassLookup::InProgress => {
                    stack.pop();
                    // If it was not begun on this stack, there is a cycle through nested scopes.
                    self.look_up_included_class(top);
                }
                ClassLookup::Done | ClassLookup::Found { .. } => {
                    stack.pop();
                }
            }
        }
    }

    /// Returns the include of the same scope whose alias this include's class name begins with, if its class was not looked
    /// up yet.
    fn prerequisite(&self, instance: InstanceId) -> Option<InstanceId> {
        let scope = self.out.instance(instance).scope;
        let ast = self.out.ast_of(scope);
        let Stmt::Include(include) = ast.stmt(self.out.instance(instance).stmt) else { return None };
        let table = self.table(scope);
        let parts = self.symbols.parts(table.unit, include.class);
        match table.aliases.get(&parts[0])?.target {
            AliasTarget::Instance(first) if parts.len() > 1 => {
                Some(first).filter(|first| matches!(self.class_lookups[*first], ClassLookup::NotStarted))
            }
            AliasTarget::Instance(_) | AliasTarget::System(_) | AliasTarget::Error => None,
        }
    }

    fn look_up_included_class(&mut self, instance: InstanceId) {
        let scope = self.out.instance(instance).scope;
        let ast = self.ast(scope);
        // Set first: a cycle finds this instance done, without a class.
        self.class_lookups[instance] = ClassLookup::Done;
        let Stmt::Include(include) = ast.stmt(self.out.instance(instance).stmt) else { return };
        let parts: NameParts = self.symbols.parts(self.table(scope).unit, include.class).into();
        let (providers, missing) = match self.lookup(NameUse { namespace: Namespace::Class, parts: &parts }, scope) {
            None => (SmallVec::new(), true),
            Some(Found { path, target, providers }) => {
                if let Some(target) = target {
                    let reference = self.add_reference(&path, target);
                    self.out.instances[instance].kind = InstanceKind::Class(reference);
                }
                (providers, false)
            }
        };
        self.class_lookups[instance] = ClassLookup::Found { providers, missing };
    }
}
