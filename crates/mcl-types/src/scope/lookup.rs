//! Finding what a name means.

use std::sync::Arc;

use mcl_parser::ast::{Stmt, StmtId};

use super::names::{Space, Symbol};
use super::{AliasTarget, Scoper, Use};
use crate::builtin;
use crate::scoped::{RefId, ScopeId, ScopeKind, SlotId, SlotKind, Target};

/// What a name means, and how it was found.
#[derive(Debug)]
pub(super) struct Found {
    /// The aliases on the way.
    pub(super) via: Vec<SlotId>,
    pub(super) meaning: Meaning,
    /// The statements that made the name visible, with their lists.
    pub(super) heads: Vec<(ScopeId, StmtId)>,
}

/// What a name means.
#[derive(Debug)]
pub(super) enum Meaning {
    Target(Target),
    /// Something that was reported already.
    Unknown,
}

/// How far the class of an include is known.
#[derive(Debug)]
pub(super) enum SlotState {
    Open,
    Busy,
    Done,
    /// The class was looked up; its own heads, for the dependencies of the include.
    Found {
        heads: Vec<(ScopeId, StmtId)>,
        missing: bool,
    },
}

impl Found {
    fn target(target: Target) -> Found {
        Found { via: Vec::new(), meaning: Meaning::Target(target), heads: Vec::new() }
    }

    fn unknown() -> Found {
        Found { via: Vec::new(), meaning: Meaning::Unknown, heads: Vec::new() }
    }
}

impl Scoper<'_> {
    /// Looks a name up from a scope outwards, then among the built-in names.
    pub(super) fn lookup(&mut self, name: Use<'_>, scope: ScopeId) -> Option<Found> {
        let mut current = Some((scope, false));
        let mut anything = false;
        while let Some((scope, skips_list)) = current {
            if let Some(found) = self.lookup_in(name, scope, skips_list, &mut Vec::new()) {
                return Some(found);
            }
            let table = self.table(scope);
            anything |= !skips_list && table.stars.iter().any(|(_, target)| self.is_failed(*target));
            current = self.out.scope(scope).parent.map(|parent| (parent, table.skips_parent_list));
        }
        // A module that could not be loaded may have had the name.
        self.lookup_builtin(name).or_else(|| anything.then(Found::unknown))
    }

    /// Looks a name up in one scope.
    /// `seen` holds the files that were searched in vain through stars.
    fn lookup_in(&mut self, name: Use<'_>, scope: ScopeId, skips_list: bool, seen: &mut Vec<ScopeId>) -> Option<Found> {
        let table = self.table(scope);
        if let [symbol] = name.parts {
            if !skips_list {
                let map = match name.space {
                    Space::Variable => &table.variables,
                    Space::Function => &table.functions,
                    Space::Class => &table.classes,
                };
                if let Some(def) = map.get(symbol) {
                    let found = Found::target(Target::Def(*def));
                    return Some(match self.out.def(*def).kind {
                        crate::scoped::DefKind::Bind { stmt }
                        | crate::scoped::DefKind::Func { stmt, .. }
                        | crate::scoped::DefKind::Class { stmt, .. } => found.head(scope, stmt),
                        crate::scoped::DefKind::Param { .. } => found,
                        crate::scoped::DefKind::Unknown => Found::unknown(),
                    });
                }
            }
            if name.space == Space::Variable
                && let Some((_, def)) = table.params.iter().rev().find(|(param, _)| param == symbol)
            {
                return Some(Found::target(Target::Def(*def)));
            }
        } else if !skips_list && let Some(alias) = table.aliases.get(&name.parts[0]) {
            let (stmt, target) = (alias.stmt, alias.target);
            if let Some(found) = self.member(Use { parts: &name.parts[1..], ..name }, target) {
                return Some(found.head(scope, stmt));
            }
        }
        if skips_list {
            return None;
        }
        for i in (0..self.table(scope).stars.len()).rev() {
            let (stmt, target) = self.table(scope).stars[i];
            let found = match target {
                AliasTarget::Failed => None,
                AliasTarget::System(_) => self.member(name, target),
                AliasTarget::Slot(slot) => self.out.slot_scope(slot).and_then(|module| {
                    if seen.contains(&module) {
                        return None;
                    }
                    seen.push(module);
                    let mut found = self.lookup_in(name, module, false, seen)?;
                    found.via.insert(0, slot);
                    Some(found)
                }),
            };
            if let Some(found) = found {
                return Some(found.head(scope, stmt));
            }
        }
        // The mcl part of a system module sees the native part as its own, and exports it.
        self.table(scope).system.and_then(|module| self.member(name, AliasTarget::System(module)))
    }

    /// Looks up what stands behind an alias: everything in the final scope of the class body or file (spec 02 §2.7).
    pub(super) fn member(&mut self, name: Use<'_>, alias: AliasTarget) -> Option<Found> {
        match alias {
            AliasTarget::Failed => Some(Found::unknown()),
            AliasTarget::System(module) => {
                let [symbol] = name.parts else { return None };
                match name.space {
                    Space::Function => {
                        self.system_function(Some(module), *symbol).map(|name| Found::target(Target::Function(name)))
                    }
                    Space::Variable => {
                        let name = format!("{}.{}", self.symbols.text(module), self.symbols.text(*symbol));
                        builtin::variable(&name).map(|_| Found::target(Target::Variable(name.into())))
                    }
                    Space::Class => None,
                }
            }
            AliasTarget::Slot(slot) => {
                self.find_slot(slot);
                let Some(scope) = self.out.slot_scope(slot) else { return Some(Found::unknown()) };
                let mut found = self.lookup(name, scope)?;
                found.via.insert(0, slot);
                Some(found)
            }
        }
    }

    /// Whether an import brought nothing because it failed.
    fn is_failed(&self, target: AliasTarget) -> bool {
        match target {
            AliasTarget::Failed => true,
            AliasTarget::System(_) => false,
            AliasTarget::Slot(slot) => self.out.slot_scope(slot).is_none(),
        }
    }

    fn lookup_builtin(&mut self, name: Use<'_>) -> Option<Found> {
        match (name.space, name.parts) {
            (Space::Function, [symbol]) => {
                self.system_function(None, *symbol).map(|name| Found::target(Target::Function(name)))
            }
            (Space::Variable, parts) => {
                let joined: Arc<str> = match parts {
                    [one] => Arc::clone(self.symbols.text(*one)),
                    _ if &**self.symbols.text(parts[0]) == "const" => self.joined(parts).into(),
                    _ => return None,
                };
                builtin::variable(&joined)
                    .filter(|variable| variable.global)
                    .map(|_| Found::target(Target::Variable(joined)))
            }
            (Space::Function | Space::Class, _) => None,
        }
    }

    /// The dotted text of a name.
    pub(super) fn joined(&self, parts: &[Symbol]) -> String {
        let mut text = String::new();
        for part in parts {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(self.symbols.text(*part));
        }
        text
    }

    /// The registered name of a native function.
    pub(super) fn system_function(&mut self, module: Option<Symbol>, name: Symbol) -> Option<Arc<str>> {
        if let Some(known) = self.functions.get(&(module, name)) {
            return known.clone();
        }
        let text = self.symbols.text(name);
        let full: Arc<str> = match module {
            Some(module) => format!("{}.{text}", self.symbols.text(module)).into(),
            None => Arc::clone(text),
        };
        let found = Some(full).filter(|full| !text.starts_with('_') && mcl_functions::function(full).is_some());
        self.functions.insert((module, name), found.clone());
        found
    }

    /// The names of the native functions of a module.
    pub(super) fn system_functions(&mut self, module: Symbol) -> Vec<Symbol> {
        let module = Arc::clone(self.symbols.text(module));
        builtin::functions_of(&module).map(|name| self.symbols.intern(name)).collect()
    }

    /// Finds the class of an include statement, after those of the aliases it depends on.
    pub(super) fn find_slot(&mut self, slot: SlotId) {
        let mut stack = vec![slot];
        while let Some(top) = stack.last().copied() {
            match self.slots[top.index()] {
                SlotState::Open => {
                    self.slots[top.index()] = SlotState::Busy;
                    if let Some(before) = self.alias_before(top) {
                        stack.push(before);
                    }
                }
                SlotState::Busy => {
                    stack.pop();
                    // Busy without being on this stack: a circle through nested scopes, or a second visit.
                    self.find_class(top);
                }
                SlotState::Done | SlotState::Found { .. } => {
                    stack.pop();
                }
            }
        }
    }

    /// The open include of the same list whose alias this include's class name begins with.
    fn alias_before(&self, slot: SlotId) -> Option<SlotId> {
        let scope = self.out.slot(slot).scope;
        let ast = self.out.ast_of(scope);
        let Stmt::Include { class, .. } = ast.stmt(self.out.slot(slot).stmt) else { return None };
        let table = self.table(scope);
        let parts = self.symbols.parts(table.unit, *class);
        match table.aliases.get(&parts[0])?.target {
            AliasTarget::Slot(before) if parts.len() > 1 => {
                Some(before).filter(|before| matches!(self.slots[before.index()], SlotState::Open))
            }
            AliasTarget::Slot(_) | AliasTarget::System(_) | AliasTarget::Failed => None,
        }
    }

    fn find_class(&mut self, slot: SlotId) {
        let scope = self.out.slot(slot).scope;
        let ast = self.ast(scope);
        let Stmt::Include { class, .. } = ast.stmt(self.out.slot(slot).stmt) else {
            self.slots[slot.index()] = SlotState::Done;
            return;
        };
        // A circle finds this slot done, without a class.
        self.slots[slot.index()] = SlotState::Done;
        let parts: Vec<Symbol> = self.symbols.parts(self.table(scope).unit, *class).to_vec();
        let found = self.lookup(Use { space: Space::Class, parts: &parts }, scope);
        let (heads, missing) = match found {
            None => (Vec::new(), true),
            Some(Found { meaning: Meaning::Unknown, heads, .. }) => (heads, false),
            Some(Found { via, meaning: Meaning::Target(target), heads }) => {
                let reference: RefId = self.add_reference(via, target);
                self.out.slots[slot.index()].kind = SlotKind::Class(reference);
                (heads, false)
            }
        };
        self.slots[slot.index()] = SlotState::Found { heads, missing };
    }

    /// The names of one space that can be seen from a scope without a dot, for suggestions.
    pub(super) fn visible_names(&self, space: Space, scope: ScopeId) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        let mut current = Some((scope, false));
        while let Some((scope, skips_list)) = current {
            names.extend(self.names_in(space, scope, skips_list));
            current = self.out.scope(scope).parent.map(|parent| (parent, self.table(scope).skips_parent_list));
        }
        match space {
            Space::Function => names.extend(builtin::global_functions().map(Arc::from)),
            Space::Variable => names.extend(["hostname", "purpleidea"].map(Arc::from)),
            Space::Class => {}
        }
        names
    }

    fn names_in(&self, space: Space, scope: ScopeId, skips_list: bool) -> Vec<Arc<str>> {
        let table = self.table(scope);
        let map = match space {
            Space::Variable => &table.variables,
            Space::Function => &table.functions,
            Space::Class => &table.classes,
        };
        let own = map.keys().filter(|_| !skips_list);
        let params = table.params.iter().map(|(name, _)| name).filter(|_| space == Space::Variable);
        own.chain(params).map(|symbol| Arc::clone(self.symbols.text(*symbol))).collect()
    }

    /// The names of one space behind an alias that a scope can see; `None` if there is no such alias.
    pub(super) fn alias_names(&mut self, space: Space, alias: Symbol, scope: ScopeId) -> Option<Vec<Arc<str>>> {
        let mut current = Some((scope, false));
        while let Some((scope, skips_list)) = current {
            if let Some(alias) = self.table(scope).aliases.get(&alias).filter(|_| !skips_list) {
                return Some(match alias.target {
                    AliasTarget::Failed => Vec::new(),
                    AliasTarget::System(module) => {
                        let names = self.system_functions(module);
                        let names = names.into_iter().filter(|_| space == Space::Function);
                        names.map(|name| Arc::clone(self.symbols.text(name))).collect()
                    }
                    AliasTarget::Slot(slot) => {
                        let Some(scope) = self.out.slot_scope(slot) else { return Some(Vec::new()) };
                        let mut names = self.names_in(space, scope, false);
                        if let Some(module) = self.table(scope).system.filter(|_| space == Space::Function) {
                            let native = self.system_functions(module);
                            names.extend(native.into_iter().map(|name| Arc::clone(self.symbols.text(name))));
                        }
                        names
                    }
                });
            }
            current = self.out.scope(scope).parent.map(|parent| (parent, self.table(scope).skips_parent_list));
        }
        None
    }

    /// Whether a scope belongs to a function that is not `scope` itself; used for hints only.
    pub(super) fn in_function(&self, scope: ScopeId) -> bool {
        matches!(self.out.scope(scope).kind, ScopeKind::Function(_))
    }
}
