//! Syntax trees of Ruby, for any text: the code of templates and the files of modules.
//!
//! The parser, `lib-ruby-parser`, panics for some texts, needs more stack than a thread has, or takes time that is quadratic
//! in their length. This crate hides that: a text becomes a tree or an error.

mod error;
mod panics;
mod tree;

pub use error::SyntaxError;
pub use tree::{Tree, on_large_stack};
