//! Generic scopes: closing one after it is typed, and taking copies of it.

use std::ops::Range;
use std::rc::Rc;

use mcl_diagnostics::{Code, Span};
use rustc_hash::FxHashMap;

use super::Unifier;
use super::call::TextCondition;
use super::condition::{Condition, NameCondition};
use super::member::MemberId;
use super::report::error;
use super::types::{State, Ty, Unknown};
use crate::scoped::{ScopeId, ScopeKind, SlotId, SlotKind};

/// What goes along with copies of a closed generic scope, or of a member of one.
#[derive(Default)]
pub(super) struct Scheme {
    pub(super) conditions: Vec<Condition>,
    pub(super) names: Vec<NameCondition>,
    pub(super) texts: Vec<TextCondition>,
    /// Where each variable was made.
    pub(super) origins: Vec<Span>,
    /// Its variables.
    pub(super) variables: Range<u32>,
}

/// So many variables can one class have, those of the classes it includes among them.
const MAX_VARIABLES: usize = 1 << 16;

/// What a type variable belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Scope(ScopeId),
    Member(MemberId),
}

/// The state of the solver when a generic scope was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    unknowns: u32,
    pub(super) conditions: usize,
    pub(super) names: usize,
    pub(super) texts: usize,
    pub(super) level: u32,
}

/// A copy in the making: the variables of some generic scopes and their replacements, innermost scope first.
pub(super) struct Copy {
    passes: Vec<Pass>,
}

/// What the variables of one scope stand for.
struct Pass {
    scope: ScopeId,
    /// For those of the scope itself.
    own: Rc<[Ty]>,
    /// Where the types of its members are to be found.
    slot: Option<SlotId>,
    done: FxHashMap<Ty, Ty>,
}

impl Unifier<'_> {
    /// Begins something generic.
    pub(super) fn open(&mut self, level: u32) -> Mark {
        let mark = Mark {
            unknowns: self.types.unknowns(),
            conditions: self.conditions.len(),
            names: self.name_conditions.len(),
            texts: self.text_conditions.len(),
            level: self.level,
        };
        self.level = level;
        mark
    }

    /// Ends a generic scope: what is unknown and concerns only the scope becomes its type variables.
    pub(super) fn close(&mut self, scope: ScopeId, mark: Mark) {
        self.lower_results(mark);
        let (variables, origins) = self.generalize(Owner::Scope(scope), mark);
        let conditions = if origins.is_empty() { Vec::new() } else { self.take_conditions(mark.conditions) };
        let names = self.name_conditions.split_off(mark.names);
        // What a function asks depends on the include of the class that it stands in, not on its calls.
        let texts = match self.scoped.scope(scope).kind {
            ScopeKind::Function(_) => Vec::new(),
            _ => self.text_conditions.split_off(mark.texts),
        };
        if !(origins.is_empty() && conditions.is_empty() && names.is_empty() && texts.is_empty()) {
            self.schemes.insert(scope, Scheme { conditions, names, texts, origins, variables });
        }
        self.closed[scope.index()] = true;
        self.level = mark.level;
    }

    /// Makes variables of all unknowns of the current level; gives back their numbers, and where each was made.
    pub(super) fn generalize(&mut self, owner: Owner, mark: Mark) -> (Range<u32>, Vec<Span>) {
        let start = self.owners.len() as u32;
        let mut origins = Vec::new();
        for unknown in (mark.unknowns..self.types.unknowns()).map(Unknown) {
            if self.types.root(unknown) != unknown {
                continue;
            }
            // An unknown made before may be the root of those made inside; then its level is an outer one, and it stays.
            if let State::Open { level } = self.types.state(unknown)
                && level >= self.level
            {
                origins.push(self.types.made_at(unknown));
                self.types.generalize(unknown, self.owners.len() as u32);
                self.owners.push(owner);
            }
        }
        (start..self.owners.len() as u32, origins)
    }

    /// The result of `s->f` belongs where `s` belongs: it is no variable of an inner scope if `s` is an outer unknown.
    pub(super) fn lower_results(&mut self, mark: Mark) {
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
        let Some(scheme) = self.schemes.get(&scope) else { return Rc::from([]) };
        let variables = scheme.origins.len();
        if variables > MAX_VARIABLES {
            // Classes that include others several times double them at each level.
            let message = "the types of classes in classes multiply beyond measure";
            let origin = scheme.origins[0];
            self.report(error(Code::E0802, message).at(origin).help("write types to the parameters of the classes"));
            return vec![Ty::ERROR; variables].into();
        }
        let (types, level) = (&mut self.types, self.level);
        scheme.origins.iter().map(|origin| types.unknown(level, *origin)).collect()
    }

    /// A copy of what belongs to `scope` with these types for its variables, reached through `via`.
    pub(super) fn copy_of(&self, scope: Option<(ScopeId, Rc<[Ty]>)>, via: &[SlotId]) -> Copy {
        let mut copy = Copy { passes: Vec::new() };
        if let Some((scope, own)) = scope {
            copy.passes.push(Pass { scope, own, slot: None, done: FxHashMap::default() });
        }
        // An instance of a class lies in an instance of what is around the class, which its include names.
        let mut work: Vec<SlotId> = via.to_vec();
        while let Some(slot) = work.pop() {
            if let Some(scope) = self.scoped.slot_scope(slot)
                && (self.schemes.contains_key(&scope) || self.has_members[scope.index()])
            {
                let own = self.slot_types[slot.index()].clone().unwrap_or_else(|| Rc::from([]));
                copy.passes.push(Pass { scope, own, slot: Some(slot), done: FxHashMap::default() });
            }
            if let SlotKind::Class(reference) = self.scoped.slot(slot).kind {
                work.extend(&self.scoped.reference(reference).via);
            }
        }
        copy
    }

    /// A type with the variables of the copied scopes replaced. Inside a member of a class, what lies outside of the member
    /// is replaced as well ([`super::member`]).
    pub(super) fn copied(&mut self, copy: &mut Copy, ty: Ty) -> Ty {
        let Unifier { types, owners, members, schemes, uses, .. } = self;
        let copied = copy.passes.iter_mut().fold(ty, |ty, pass| {
            let Pass { scope, own, slot, done } = pass;
            let mut lookup = |_: &mut _, _, _, state| {
                let State::Generic(variable) = state else { return None };
                match owners[variable as usize] {
                    Owner::Scope(owner) if owner == *scope => {
                        own.get((variable - schemes[scope].variables.start) as usize).copied()
                    }
                    Owner::Member(member) => {
                        let types = &uses.get(&((*slot)?, member))?.types;
                        types.get((variable - members[member.index()].scheme.variables.start) as usize).copied()
                    }
                    Owner::Scope(_) => None,
                }
            };
            types.copy(ty, &mut lookup, done)
        });
        self.localized(copied)
    }

    /// Brings the conditions of a closed generic scope to a place that uses it.
    pub(super) fn copy_conditions(&mut self, scope: ScopeId, copy: &mut Copy, site: Site) {
        let Some(scheme) = self.schemes.get(&scope) else { return };
        let conditions: Vec<Condition> = scheme.conditions.clone();
        self.add_copies(conditions, copy, site);
    }

    /// Adds copies of conditions.
    pub(super) fn add_copies(&mut self, conditions: Vec<Condition>, copy: &mut Copy, site: Site) {
        for condition in conditions {
            let condition = condition.map(|ty| self.copied(copy, ty)).at(site);
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
