//! Scopes and types: from the syntax trees of all files to a program in which every name and every type is known (spec 02).
//!
//! Two stages, each from one table to the next. Neither changes its input or does I/O.
//!
//! - scope (names to definitions): the files of a program become [`Scoped`], where each name is an id. Classes and imported
//!   files are not expanded: they are resolved once, where they are defined, like functors.
//! - unify (definitions to types): [`Scoped`] becomes [`Typed`], with a type for every expression that is used. Functions,
//!   classes and modules are typed once, with type variables, however often they are used.
//!
//! The crate knows the resource schemas and the signatures of the functions, but neither values nor function graphs.

mod annotation;
mod builtin;
mod infer;
mod invalid;
mod lint;
mod meta_parameters;
mod paged;
mod scope;
mod scoped;
mod solver;
mod stack;
mod synonyms;
#[cfg(test)]
mod tests;
mod typed;
mod unify;
mod validate;
mod walk;
mod wording;

pub use annotation::check_annotated_literals;
pub use infer::optional::classes_used_inside;
pub use infer::reachable::reachable_definitions;
pub use invalid::InvalidProgram;
pub use lint::unused_type_errors;
pub use meta_parameters::check_meta_parameters;
pub use paged::PagedMap;
pub use scope::scope;
pub use scoped::{
    BuiltinId, Def, DefId, DefKind, ExprInfo, ExprInfos, Instance, InstanceId, InstanceKind, Module, ModuleId, Path,
    PathId, Reference, Resolution, Scope, ScopeId, ScopeKind, Scoped, StmtInfo, Target, TypeVars,
};
pub use typed::{CallTypes, ExprKey, TypeId, TypeNode, TypeTable, Typed};
pub use unify::{unify, unify_part};
pub use walk::{expressions, subexpressions};
