//! Type schemes: the types of generic scopes.

use std::ops::Range;

use cranelift_entity::entity_impl;
use mcl_diagnostics::Span;

use crate::scoped::ScopeId;
use crate::solver::obligation::{Obligation, ObligationId};
use crate::solver::types::GenericVar;

/// Index of a member: a definition of a class or file that only some of its instances use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MemberId(u32);
entity_impl!(MemberId);

/// What is instantiated with every use of a generic scope, or of a member of one.
#[derive(Debug)]
pub(crate) struct Scheme {
    pub(crate) variables: Range<GenericVar>,
    /// The span to blame for each variable, if an instance of it stays unsolved.
    pub(crate) origins: Box<[Span]>,
    /// Sorted by [`Obligation::rank`].
    pub(crate) obligations: Box<[Obligation]>,
}

/// The owner of a type variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarOwner {
    Scope(ScopeId),
    Member(MemberId),
}

/// A type variable of a scheme.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GenericVarInfo {
    pub(crate) owner: VarOwner,
    /// The position among the variables of the owner.
    pub(crate) index: u32,
}

/// The state of the solver when a generic scope was entered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Snapshot {
    /// The number of variables.
    pub(crate) vars: u32,
    /// The first obligation of the scope.
    pub(crate) obligations: ObligationId,
    /// The level outside of the scope.
    pub(crate) level: u32,
}

impl Scheme {
    pub(crate) fn new(variables: Range<GenericVar>, origins: Vec<Span>, mut obligations: Vec<Obligation>) -> Scheme {
        obligations.sort_by_key(Obligation::rank);
        // There may be a scheme for every statement, so they have no spare capacity.
        Scheme { variables, origins: origins.into(), obligations: obligations.into() }
    }

    /// Returns whether there is nothing to instantiate.
    pub(crate) fn is_trivial(&self) -> bool {
        self.origins.is_empty() && self.obligations.is_empty()
    }
}
