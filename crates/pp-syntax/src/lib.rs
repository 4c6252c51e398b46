//! Parses the Puppet language: manifests and EPP templates.
//!
//! [`parse`] is total. The lexer splits a text into tokens and decides what brackets and operators mean, the generated parser
//! (`grammar.lalrpop`) checks the order of the tokens, and its actions build a [`Tree`](pp_ast::Tree). [`pn`] prints a tree in
//! Puppet's own notation. [`validate`] rejects what the grammar allows, but no program can mean.
//!
//! This crate knows nothing of values, types or evaluation.

mod builder;
mod error;
mod lexer;
mod message;
mod mode;
mod name;
mod operators;
mod outline;
mod parse;
mod parse_tokens;
mod pn;
mod recovery;
mod token;
mod tokens;
mod validate;

#[cfg(test)]
mod tests;

/// The generated parser, which is not held to the lints of this workspace.
#[allow(missing_docs, unused, clippy::all)]
mod grammar {
    include!(concat!(env!("OUT_DIR"), "/grammar.rs"));
}

pub use mode::Mode;
pub use outline::token_ranges;
pub use parse::{Fragments, Parsed, parse};
pub use pn::pn;
pub use validate::{ModuleFile, ModuleFolder, ValidationOptions, validate, validate_fragments, validate_location};
