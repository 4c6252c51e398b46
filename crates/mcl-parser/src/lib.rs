//! Tokens -> syntax tree, the init checks, and the interpolate stage (spec 01 §2-§5).
//!
//! The story of a file: [`parse`] runs the generated parser (`grammar.lalrpop`, the union of what mgmt 1.1 and older
//! releases accept) over the tokens. Its actions build the tree into arenas (`build.rs`). A file without errors is then
//! looked through for what mgmt 1.1 would reject (`lint.rs`, warnings). A file with errors is parsed again with recovery
//! (`balance.rs`, `recover.rs`): every broken statement, entry or element costs only itself, is reported once in words
//! that name the likely mistake (`explain.rs`), and leaves an error node behind, so that later stages can check the rest
//! without reporting follow-ons. [`check_ast`] finds what the grammar allows and no program means; [`interpolate`] turns
//! the tree as written into the tree that has a meaning: strings with their escapes and references resolved (`content.rs`),
//! no parentheses, classes with colons nested.
//!
//! Every function here is pure and total: any text gives a tree and messages, in linear time, whatever its depth. Files
//! are independent of each other, so callers run them in parallel.
//!
//! This crate knows nothing of scopes, types, resource kinds or modules: `$nope`, `1 + "a"` and `spaceship "x" {}` are
//! fine here.

pub mod ast;
mod balance;
mod build;
mod content;
mod explain;
mod feed;
mod init;
mod interpolate;
mod lint;
mod recover;
#[cfg(test)]
mod tests;
mod validate;

#[allow(missing_docs, unused, clippy::all)]
mod grammar {
    include!(concat!(env!("OUT_DIR"), "/grammar.rs"));
}

pub use init::check_ast;
pub use interpolate::interpolate;
pub use recover::{Parsed, parse};
pub use validate::InvalidAst;

/// How deep expressions, statements and types may nest; what is deeper is one diagnostic. Later stages recurse over the
/// tree and rely on it. The left side of an operator is not deeper than the operator: `1 + 1 + …` may be of any length.
pub const MAX_DEPTH: usize = 1000;
