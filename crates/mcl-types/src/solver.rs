//! The type solver: type variables, constraints between them, and generalization. It knows neither the syntax tree nor
//! diagnostics; what it finds wrong, it returns as a [`Mismatch`](types::Mismatch) or a [`TypeError`].
//!
//! # Problem
//! Most constraints are equations and are solved at once, by unification ([`types`]). Others depend on a type that is not
//! known yet: `x[i]` is a different equation for a list and for a map, `s->f` needs the fields of `s`, and `a + b` accepts
//! some types only. These wait as *obligations* ([`obligation`]).
//!
//! # Algorithm
//! An obligation waits for one unsolved variable. When unification solves that variable, or merges it with another one,
//! [`Solver::solve_ready`] tries the obligation again ([`solve`]), until nothing changes any more. When a generic scope is
//! complete, its unsolved variables become type variables and the obligations on them become part of its [`Scheme`]
//! ([`generalize`]); every use of the scope instantiates both.
//!
//! ```text
//! func at($c, $k) { $c[$k] }     # $c: ?c, $k: ?k, result ?r; the obligation ?c[?k] = ?r waits for ?c
//!                                # scheme: for all c, k, r with c[k] = r: func(c, k) r
//! $x = at([1, 2], 0)             # instantiates c := []int: the obligation is solved, k = int and r = int
//! ```
//!
//! # Invariant
//! A pending constraint waits for the representative of an unsolved variable, or belongs to a scheme.

pub(crate) mod constraint;
pub(crate) mod error;
pub(crate) mod generalize;
pub(crate) mod obligation;
pub(crate) mod scheme;
mod solve;
pub(crate) mod types;

use cranelift_entity::PrimaryMap;
use mcl_diagnostics::Span;

use crate::solver::error::TypeError;
use crate::solver::obligation::Obligations;
use crate::solver::scheme::GenericVarInfo;
use crate::solver::types::{GenericVar, Ty, Types};

/// The state of the solver.
pub(crate) struct Solver {
    pub(crate) types: Types,
    /// The number of generic scopes around the code that is being typed.
    pub(crate) level: u32,
    /// The type variables of all schemes.
    pub(crate) generics: PrimaryMap<GenericVar, GenericVarInfo>,
    pub(crate) obligations: Obligations,
    /// Constraints that do not hold and were not reported yet.
    errors: Vec<TypeError>,
}

impl Solver {
    /// Creates a solver for some expressions.
    pub(crate) fn with_capacity(exprs: usize) -> Solver {
        Solver {
            types: Types::with_capacity(exprs),
            level: 0,
            generics: PrimaryMap::new(),
            obligations: Obligations::default(),
            errors: Vec::new(),
        }
    }

    /// Adds an unsolved variable at the current level.
    pub(crate) fn fresh_var(&mut self, origin: Span) -> Ty {
        self.types.fresh_var(self.level, origin)
    }

    /// Takes the errors of constraints that were found since the previous call.
    pub(crate) fn take_errors(&mut self) -> Vec<TypeError> {
        std::mem::take(&mut self.errors)
    }
}
