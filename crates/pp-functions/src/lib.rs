//! The built-in functions of the Puppet language: one table of names, signatures, documentation and implementations.
//!
//! A function gets its arguments, its block, and a [`Host`], through which it reaches everything that is not a value: the
//! catalog, scopes, files, the log. The evaluator is a host.
//!
//! This crate knows nothing of syntax trees, scopes or catalogs.

mod function;
mod host;

pub use function::{Availability, Function, Implementation, all_functions, call, find_function};
pub use host::{Block, BlockId, DeclareClass, FileKind, Host, Interrupt, LogLevel, Strict, Template};
