//! Generic scopes: closing one after it is typed, and taking copies of it.

use std::ops::Range;
use std::rc::Rc;

use mcl_diagnostics::Span;
use rustc_hash::FxHashMap;

use super::Unifier;
use super::condition::{Condition, NameCondition};
use super::types::{State, Ty, Types, Unknown};
use crate::scoped::{ScopeId, SlotId};

/// What goes along with copies of a closed generic scope.
#[derive(Default)]
pub(super) struct Scheme {
    pub(super) conditions: Vec<Condition>,
    pub(super) names: Vec<NameCondition>,
    /// Where each variable was made.
    origins: Vec<Span>,
}

/// The state of the solver when a generic scope was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    unknowns: u32,
    conditions: usize,
    names: usize,
    level: u32,
}

/// A copy in the making: the variables of some generic scopes and their replacements, innermost scope first.
pub(super) struct Copy {
    passes: Vec<Pass>,
}

struct Pass {
    variables: Range<u32>,
    replacements: Rc<[Ty]>,
    done: FxHashMap<Ty, Ty>,
}

impl Copy {
    pub(super) fn new() -> Copy {
        Copy { passes: Vec::new() }
    }

    fn push(&mut self, variables: Range<u32>, replacements: Rc<[Ty]>) {
        if !variables.is_empty() {
            self.passes.push(Pass { variables, replacements, done: FxHashMap::default() });
        }
    }

    pub(super) fn apply(&mut self, types: &mut Types, ty: Ty) -> Ty {
        self.passes.iter_mut().fold(ty, |ty, pass| {
            let Pass { variables, replacements, done } = pass;
            let lookup = |variable: u32| {
                variables.contains(&variable).then(|| replacements[(variable - variables.start) as usize])
            };
            types.copy(ty, &lookup, done)
        })
    }
}

impl Unifier<'_> {
    /// Begins a generic scope.
    pub(super) fn open(&mut self, level: u32) -> Mark {
        let mark = Mark {
            unknowns: self.types.unknowns(),
            conditions: self.conditions.len(),
            names: self.name_conditions.len(),
            level: self.level,
        };
        self.level = level;
        mark
    }

    /// Ends a generic scope: what is unknown and concerns only the scope becomes its type variables.
    pub(super) fn close(&mut self, scope: ScopeId, mark: Mark) {
        self.lower_results(mark);
        let start = self.variables;
        let mut origins = Vec::new();
        for unknown in (mark.unknowns..self.types.unknowns()).map(Unknown) {
            if self.types.root(unknown) != unknown {
                continue;
            }
            if let State::Open { level } = self.types.state(unknown)
                && level >= self.level
            {
                origins.push(self.types.made_at(unknown));
                self.types.generalize(unknown, self.variables);
                self.variables += 1;
            }
        }
        // An unknown made before may be the root of those made inside; then its level is an outer one, and it stays.
        self.generics[scope.index()] = start..self.variables;
        let conditions = if origins.is_empty() { Vec::new() } else { self.take_conditions(mark.conditions) };
        let names = self.name_conditions.split_off(mark.names);
        if !(origins.is_empty() && conditions.is_empty() && names.is_empty()) {
            self.schemes.insert(scope, Scheme { conditions, names, origins });
        }
        self.level = mark.level;
    }

    /// The result of `s->f` belongs where `s` belongs: it is no variable of an inner scope if `s` is an outer unknown.
    fn lower_results(&mut self, mark: Mark) {
        for id in self.conditions.pending_since(mark.conditions) {
            let condition = self.conditions.get(id);
            let (base, determined) = (condition.base(), condition.determined());
            let Some(unknown) = self.types.open_unknown(base) else { continue };
            let State::Open { level } = self.types.state(unknown) else { continue };
            if level < self.level {
                for ty in determined {
                    self.types.lower(ty, level);
                }
            }
        }
    }

    /// Removes the pending conditions that concern variables of the scope just closed.
    fn take_conditions(&mut self, since: usize) -> Vec<Condition> {
        let mut taken = Vec::new();
        for id in self.conditions.pending_since(since) {
            let base = self.conditions.get(id).base();
            if self.types.open_unknown(base).is_none() {
                taken.push(self.conditions.take(id));
            }
        }
        taken
    }

    /// Fresh unknowns for the variables of a closed generic scope.
    pub(super) fn fresh(&mut self, scope: ScopeId) -> Rc<[Ty]> {
        let variables = self.generics[scope.index()].clone();
        if variables.is_empty() {
            return Rc::from([]);
        }
        let origins = self.schemes[&scope].origins.clone();
        origins.into_iter().map(|origin| self.unknown(origin)).collect()
    }

    /// A copy of what belongs to `scope` with these types for its variables, reached through `via`.
    pub(super) fn copy_of(&self, scope: Option<(ScopeId, Rc<[Ty]>)>, via: &[SlotId]) -> Copy {
        let mut copy = Copy::new();
        if let Some((scope, types)) = scope {
            copy.push(self.generics[scope.index()].clone(), types);
        }
        for slot in via.iter().rev() {
            if let (Some(scope), Some(types)) = (self.scoped.slot_scope(*slot), &self.slot_types[slot.index()]) {
                copy.push(self.generics[scope.index()].clone(), Rc::clone(types));
            }
        }
        copy
    }

    /// Brings the conditions of a closed generic scope to a place that uses it.
    pub(super) fn copy_conditions(&mut self, scope: ScopeId, copy: &mut Copy, site: Site) {
        let Some(scheme) = self.schemes.get(&scope) else { return };
        let conditions: Vec<Condition> = scheme.conditions.clone();
        for condition in conditions {
            let condition = condition.map(|ty| copy.apply(&mut self.types, ty)).at(site);
            self.add_condition(condition);
        }
        self.settle();
    }
}

/// Where a copy is taken: it decides who is blamed when a condition fails there.
#[derive(Clone, Copy, Debug)]
pub(super) enum Site {
    /// A call: it is to blame, not the body of the function.
    Call(Span),
    /// An include: the body of the class is to blame.
    Include(Span),
    /// An import: the file is to blame.
    Import,
}
