//! W0215: a variable with the name of one around it, in the same file.
//!
//! The scopes of a file are numbered so that those inside a scope are a range that starts with the scope itself. The variables
//! of one name, in the order of their scopes, are then like brackets: each is around those that follow it within its range.

use std::ops::Range;

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::{Code, Diagnostic};
use mcl_parser::ast::Name;
use rustc_hash::FxHashSet;

use crate::lint::{Names, lint};
use crate::scoped::{Def, DefId, DefKind, ModuleId, ScopeId, ScopeKind, Scoped};

/// A variable; they are ordered by file, by name, by scope, and then as they are defined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Variable {
    module: ModuleId,
    name: Name,
    /// The position of its scope among the scopes of the program, in the order of their ranges.
    position: u32,
    def: DefId,
}

impl Names<'_> {
    pub(super) fn shadowing(&self, found: &mut Vec<Diagnostic>) {
        let scoped = self.scoped;
        let mut places = FxHashSet::default();
        for (id, outer) in shadowed(scoped) {
            let (name, span) = (scoped.def_name(id), scoped.def_span(id));
            let is_own = self.is_own(scoped.scope(scoped.def(id).scope).module);
            if !is_own || name.starts_with("unused_") || !places.insert((span.file, span.start)) {
                continue;
            }
            found.push(
                lint(Code::W0215, format!("`${name}` hides another variable of that name"))
                    .at_with(span, "hides it from here on")
                    .label(scoped.def_span(outer), "the other one")
                    .help("rename one of them"),
            );
        }
    }
}

/// Returns the variables that hide another one, each with the innermost that it hides, as they are defined.
fn shadowed(scoped: &Scoped) -> Vec<(DefId, DefId)> {
    let variables = candidates(scoped);
    if variables.is_empty() {
        return Vec::new();
    }
    let ranges = ranges(scoped);
    let in_scope = |(def, (module, name)): (DefId, (ModuleId, Name))| {
        let position = ranges[scoped.def(def).scope].start;
        Variable { module, name, position, def }
    };
    let mut variables: Vec<Variable> = variables.into_iter().map(in_scope).collect();
    variables.sort_unstable();
    let mut found = Vec::new();
    for named in variables.chunk_by(|a, b| (a.module, a.name) == (b.module, b.name)) {
        // The variables around the next one, of different scopes.
        let mut around: Vec<Variable> = Vec::new();
        for variable in named {
            let scope = scoped.def(variable.def).scope;
            while around.pop_if(|last| ranges[scoped.def(last.def).scope].end <= variable.position).is_some() {}
            let is_first = around.last().is_none_or(|last| last.position != variable.position);
            let outer = if is_first { around.last() } else { around.iter().nth_back(1) };
            let is_inner = scoped.scope(scope).kind != ScopeKind::Module;
            if let Some(outer) = outer.filter(|_| is_inner && !scoped.def(variable.def).erroneous) {
                found.push((variable.def, outer.def));
            }
            if is_first {
                around.push(*variable);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Returns the variables whose names variables of inner scopes have, too. Most names are those of the top level and are never
/// hidden.
fn candidates(scoped: &Scoped) -> Vec<(DefId, (ModuleId, Name))> {
    let is_variable = |def: &Def| matches!(def.kind, DefKind::Bind { .. } | DefKind::Param { .. });
    let key = |def: &Def| (scoped.scope(def.scope).module, def.name);
    let variables = || scoped.defs.iter().filter(|(_, def)| is_variable(def)).map(|(id, def)| (id, key(def)));
    let is_inner = |id: DefId| scoped.scope(scoped.def(id).scope).kind != ScopeKind::Module;
    let inner: FxHashSet<(ModuleId, Name)> = variables().filter(|(id, _)| is_inner(*id)).map(|(_, key)| key).collect();
    if inner.is_empty() { Vec::new() } else { variables().filter(|(_, key)| inner.contains(key)).collect() }
}

/// Numbers the scopes of each file, and returns the range of each: its own number, then those of the scopes inside it.
fn ranges(scoped: &Scoped) -> PrimaryMap<ScopeId, Range<u32>> {
    let parent = |scope: ScopeId| {
        let of = scoped.scope(scope);
        of.parent.filter(|parent| scoped.scope(*parent).module == of.module)
    };
    let mut sizes: PrimaryMap<ScopeId, u32> = vec![1; scoped.scopes.len()].into();
    // A scope follows its parent.
    for scope in scoped.scopes.keys().rev() {
        if let Some(parent) = parent(scope) {
            sizes[parent] += sizes[scope];
        }
    }
    let mut ranges: PrimaryMap<ScopeId, Range<u32>> = PrimaryMap::with_capacity(scoped.scopes.len());
    // Where the next scope of each begins.
    let mut next: PrimaryMap<ScopeId, u32> = PrimaryMap::with_capacity(scoped.scopes.len());
    let mut next_file = 0;
    for scope in scoped.scopes.keys() {
        let place = match parent(scope) {
            Some(parent) => &mut next[parent],
            None => &mut next_file,
        };
        let start = *place;
        *place += sizes[scope];
        ranges.push(start..start + sizes[scope]);
        next.push(start + 1);
    }
    ranges
}
