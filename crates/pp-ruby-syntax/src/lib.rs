//! Syntax trees of Ruby, for any text: the code of templates and the files of modules.
//!
//! The parser is another project's. For some texts it panics, needs more stack than a thread has, or takes time that is
//! quadratic in their length. This crate is the one place that knows: a text becomes a tree or an error.

mod error;
mod panics;
mod tree;

pub use error::SyntaxError;
pub use tree::{Tree, on_large_stack};
