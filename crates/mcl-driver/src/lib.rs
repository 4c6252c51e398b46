//! The compiler as a library: the stages, chained.
//!
//! ```text
//! Loaded (tokens) --parse--> Trees --interpolate--> Trees --scope--> Resolved --unify--> Checked --fgraph--> Program
//! ```
//!
//! Each arrow is a pure function from one serialisable type to the next. Running them one by one through files gives the
//! same bytes as running them all in memory, because there is nothing else that could flow. A stage alone passes on only
//! what has no errors; a chain goes on behind errors, so that one run reports those of every stage.
//!
//! The command line, the language server and the tests all compile through this crate. It prints nothing.

mod payload;
mod stages;
#[cfg(test)]
mod tests;

pub use payload::{Checked, Payload, Resolved, Trees};
pub use stages::{Compiled, compile, fgraph, interpolate, lex, parse, scope, unify};
