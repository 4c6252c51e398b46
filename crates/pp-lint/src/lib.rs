//! Lints for Puppet manifests: code that is valid, but should be written in another way, or fails whenever it is compiled or
//! applied.
//!
//! [`LINTS`] is the table: a code, the name that `puppet-lint` uses or would use, and whether it is on. [`check`] runs the lints over the
//! tree and text of one file without syntax errors. Trees are flat tables, so a lint is a loop over one of them; what is
//! not in the tree (comments, whitespace) comes from the source map. A comment `# lint:ignore:NAME` switches a lint
//! off, as for `puppet-lint`.
//!
//! This crate reads no files and changes no tree. A lint never makes a manifest invalid.

mod alignment;
mod attributes;
mod check;
mod commas;
mod comments;
mod context;
mod definitions;
mod expressions;
mod facts;
mod failures;
mod ignore;
mod indentation;
mod interface;
mod parameters;
mod source_map;
mod spacing;
mod strings;
mod table;
#[cfg(test)]
mod tests;
mod uses;
mod values;
mod variables;
mod whitespace;

pub use check::check;
pub use context::Subject;
pub use interface::{Definitions, Found, Interface, InterfaceParameter, NoDefinitions, interfaces};
pub use table::{LINTS, Level, Lint};
