//! Tokens -> syntax tree (LALRPOP with error recovery), the init checks, and the interpolate stage (spec 01).

pub mod ast;

/// How deep expressions, statements and types may nest; what is deeper is one diagnostic. Later stages recurse over the
/// tree and rely on it.
pub const MAX_DEPTH: usize = 1000;
