//! Tokens -> syntax tree (LALRPOP with error recovery), the init checks, and the interpolate stage (spec 01).

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
mod typed_bind;

#[allow(missing_docs, unused, clippy::all)]
mod grammar {
    include!(concat!(env!("OUT_DIR"), "/grammar.rs"));
}

pub use init::check_init;
pub use interpolate::interpolate;
pub use recover::{Parsed, parse};

/// How deep expressions, statements and types may nest; what is deeper is one diagnostic. Later stages recurse over the
/// tree and rely on it.
pub const MAX_DEPTH: usize = 1000;
