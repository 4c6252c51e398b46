//! Scopes and types: from the trees of all files to a program in which every name and every type is known (spec 02).
//!
//! Two stages, each from one table to the next; neither changes its input, neither does I/O.
//!
//! - scope (names -> definitions): the files of a program become [`Scoped`], where each name is an id.
//!   Classes and imported files are not expanded: they are resolved once, where they are defined, like functors.
//! - unify (definitions -> types): [`Scoped`] becomes [`Typed`], with a type for every expression that is used. Functions,
//!   classes and modules are typed once, with type variables, whatever the number of their uses.
//!
//! The crate knows the resource schemas and the signatures of the functions, but nothing of values or function graphs.

mod builtin;
mod check;
mod scope;
mod scoped;
#[cfg(test)]
mod tests;
mod typed;
mod unify;
mod walk;

pub use scope::scope;
pub use scoped::{
    Def, DefId, DefKind, ExprInfo, Module, ModuleId, RefId, Reference, Scope, ScopeId, ScopeKind, Scoped, Slot, SlotId,
    SlotKind, StmtInfo, Target, TypeVars,
};
pub use typed::{ExprIdIn, TypeId, TypeNode, TypeTable, Typed};
pub use unify::unify;
pub use walk::parts as expr_parts;
