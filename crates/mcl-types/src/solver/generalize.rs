//! Generalization: turning the unsolved variables of a scope into type variables, and instantiating them again.

use std::rc::Rc;

use mcl_diagnostics::Span;
use rustc_hash::FxHashMap;

use crate::solver::Solver;
use crate::solver::obligation::Obligation;
use crate::solver::scheme::{GenericVarInfo, Scheme, Snapshot, VarOwner};
use crate::solver::types::{GenericVar, Ty, VarId, VarState};

/// Maximum number of type variables of a class, including those of the classes that it includes.
pub(crate) const MAX_VARIABLES: usize = 1 << 16;

impl Solver {
    /// Enters a generic scope, whose variables get this level.
    pub(crate) fn enter(&mut self, level: u32) -> Snapshot {
        let snapshot =
            Snapshot { vars: self.types.var_count(), obligations: self.obligations.next_id(), level: self.level };
        self.level = level;
        snapshot
    }

    /// Leaves a generic scope: what is unsolved and concerns only the scope becomes its scheme. `keeps` tells which
    /// obligations, other than constraints, become part of the scheme.
    pub(crate) fn generalize_scope(
        &mut self,
        owner: VarOwner,
        snapshot: Snapshot,
        keeps: impl Fn(&Obligation) -> bool,
    ) -> Scheme {
        self.lower_results(snapshot);
        let (first, origins) = self.generalize(owner, snapshot);
        let has_variables = !origins.is_empty();
        let obligations = self.take_obligations(snapshot, |solver, obligation| match obligation {
            // What is not an unsolved variable any more has just become a type variable.
            Obligation::Type(constraint) => has_variables && solver.types.unsolved_var(constraint.base()).is_none(),
            other => keeps(other),
        });
        self.level = snapshot.level;
        Scheme::new(first..self.generics.next_key(), origins, obligations)
    }

    /// Turns the unsolved variables of the current level into type variables. Returns the first of them, and the span to
    /// blame for each.
    pub(crate) fn generalize(&mut self, owner: VarOwner, snapshot: Snapshot) -> (GenericVar, Vec<Span>) {
        let first = self.generics.next_key();
        let mut origins = Vec::new();
        for var in (snapshot.vars..self.types.var_count()).map(VarId) {
            // The representative of variables of this scope may be an older variable, but then its level is an outer one,
            // and it is not generalized.
            if self.types.root(var) == var && self.is_of_this_level(var) {
                let generic = self.generics.push(GenericVarInfo { owner, index: origins.len() as u32 });
                origins.push(self.types.var_origin(var));
                self.types.generalize(var, generic);
                self.obligations.forget_waiting(var);
            }
        }
        (first, origins)
    }

    /// Returns whether a variable belongs to the scope that is being typed, or to one inside it.
    pub(crate) fn is_of_this_level(&mut self, var: VarId) -> bool {
        matches!(self.types.state(var), VarState::Unsolved { level } if level >= self.level)
    }

    /// Lowers the results of constraints to the level of their base: the type of `s->f` belongs to the scope that the type of
    /// `s` belongs to.
    pub(crate) fn lower_results(&mut self, snapshot: Snapshot) {
        for id in self.obligations.pending_since(snapshot.obligations) {
            let Some(constraint) = self.obligations.constraint(id) else { continue };
            let (base, determined) = (constraint.base(), constraint.determined());
            let Some(var) = self.types.unsolved_var(base) else { continue };
            let VarState::Unsolved { level } = self.types.state(var) else { continue };
            if level < self.level {
                for ty in determined {
                    self.types.lower_levels(ty, level);
                }
            }
        }
    }

    /// Removes the pending obligations of the scope for which `is_taken` holds.
    pub(crate) fn take_obligations(
        &mut self,
        snapshot: Snapshot,
        is_taken: impl Fn(&mut Solver, &Obligation) -> bool,
    ) -> Vec<Obligation> {
        let mut taken = Vec::new();
        for id in self.obligations.pending_since(snapshot.obligations) {
            let Some(obligation) = self.obligations.take(id) else { continue };
            if is_taken(self, &obligation) {
                taken.push(obligation);
            } else {
                self.obligations.put_back(id, obligation);
            }
        }
        taken
    }

    /// Adds an unsolved variable for each type variable of a scheme.
    pub(crate) fn fresh_vars(&mut self, scheme: &Scheme, level: u32) -> Rc<[Ty]> {
        scheme.origins.iter().map(|origin| self.types.fresh_var(level, *origin)).collect()
    }

    /// Returns a type with its type variables replaced. `replace` returns the replacement, or `None` to keep the variable;
    /// `done` remembers the shared parts of types between calls.
    pub(crate) fn instantiate(
        &mut self,
        ty: Ty,
        replace: impl Fn(GenericVarInfo) -> Option<Ty>,
        done: &mut FxHashMap<Ty, Ty>,
    ) -> Ty {
        let Solver { types, generics, .. } = self;
        let mut replace = |_: &mut _, _, _, state| match state {
            VarState::Generic(generic) => replace(generics[generic]),
            VarState::Unsolved { .. } | VarState::Solved(_) => None,
        };
        types.substitute(ty, &mut replace, done)
    }
}
