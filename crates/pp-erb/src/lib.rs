//! Templates in ERB (spec 07 §10.5, spec 09 §8).
//!
//! ERB is Ruby in text. A template is made a Ruby program (`tags.rs`), parsed by the full grammar of Ruby, lowered to a small
//! tree of what templates may use, and evaluated within a budget. Classes, operators, messages and texts of values are those
//! of Ruby 3.1. A construct outside the subset is an error that names it, once it is reached.
//!
//! This crate runs no Ruby and does no I/O. Variables and functions come through the trait [`Scope`].

mod classes;
mod compare;
mod convert;
mod error;
mod eval;
mod interpreter;
mod key;
mod link;
mod lower;
mod methods;
mod objects;
mod proc;
mod scope;
mod show;
mod stop;
mod syntax;
mod tags;
mod template;
#[cfg(test)]
mod tests;
mod value;
mod variables;
mod work;

pub use error::{Error, ErrorKind};
pub use objects::{Change, Found, Objects, ParameterId};
pub use scope::{Mutability, Scope};
pub use template::{Rendered, Template};
pub use variables::{CallFunction, Variables};
pub use work::Budget;
