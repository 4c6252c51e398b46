//! The compiler as a library: the stages, chained.
//!
//! ```text
//! Loaded (tokens) --parse--> Trees --interpolate--> Trees --scope--> Resolved --unify--> Checked --fgraph--> Program
//! ```
//!
//! Each arrow is a pure function from one serialisable type to the next. Running the stages one by one, through files,
//! gives the same bytes as running them in memory, because a stage has no other input. A single stage passes on only
//! programs without errors; the chain continues after errors, so that one run reports those of every stage.
//!
//! The command line and the tests compile through this crate. It prints nothing.

mod allowances;
mod analyze;
mod finish;
mod merge_points;
mod payload;
mod sensitive;
mod stages;
#[cfg(test)]
mod tests;

pub use allowances::apply_allowances;
pub use analyze::{Analyzed, analyze, analyze_part};
pub use finish::finish_diagnostics;
pub use mcl_fgraph::Declarations;
pub use merge_points::check_merge_points;
pub use payload::{Checked, Payload, Resolved, Trees};
pub use sensitive::may_hold_sensitive_values;
pub use stages::{Compiled, add_diagnostics, check_graph, compile, fgraph, interpolate, lex, parse, scope, unify};
