//! The built-in functions of the Puppet language: tables of names, signatures, documentation and implementations.
//!
//! A function receives its arguments, its block, and a [`Host`], through which it reaches everything that is not a value: the
//! catalog, scopes, files, the log. The evaluator is a host.
//!
//! This crate knows nothing of syntax trees, scopes or catalogs.

mod arguments;
mod core;
mod elements;
mod function;
mod host;
mod modules;
pub mod ruby;
mod stdlib;
mod table;
mod time;

pub use function::{Availability, Call, Convention, Function, Implementation, call};
pub use host::{Block, BlockId, DeclareClass, FileKind, Host, Interrupt, LogLevel, Strict, Template};
pub use table::{Table, all_functions, find_function, find_module_function, has_legacy_interface, tables};
