//! Lowering: the typed program becomes the function-graph program that the runtime executes (spec 04 §§1, 6.2).
//!
//! The input has names and types but no instances: classes, modules and functions are defined once, however often they
//! are used. Lowering makes the instances. It goes through the statements from the top level (`stmt`), keeps a frame for
//! each instance of a scope (`frames`), and adds nodes for the expressions that are used (`expr`, `definition`) to
//! the template under construction (`builder`), so that
//!
//! - a variable is one node per instance of its scope, however often it is used, and none if it is unused;
//! - classes are expanded where they are included; a function becomes one template for each set of types it is used at,
//!   and calls refer to it, so the program stays as large as its source;
//! - branches, loop bodies and function values are templates that capture what they use from around them.
//!
//! Meanwhile, `emit` computes everything that is already known: pure calls of constants, conditions, loops over short
//! constant lists, calls of small functions. A failing call is kept: it must fail at run time, and only if its value is
//! needed; on the left of `<|>`, the fallback replaces it. [`Options::fold`] turns all of this off, for comparison.
//!
//! [`check`] only finds what is wrong with a program, and keeps nothing of what it lowers.
//!
//! The crate does no I/O and evaluates nothing impure. It knows resource kinds only by name.

mod builder;
mod builtin;
mod call;
mod certain_edges;
mod check;
mod check_constants;
mod compact;
mod concat;
mod declare;
mod declared;
mod definition;
mod dependencies;
mod emit;
mod error;
mod expansion;
mod expr;
mod frames;
mod known_failures;
mod lower;
mod marks;
mod options;
mod pool;
mod program;
mod refused;
mod resource;
mod resource_lints;
mod sensitive_commands;
mod stmt;
mod task;
mod values;
mod visit;
mod warnings;

pub use check::{check, check_and_keep};
pub use declared::Declarations;
pub use options::Options;
pub use program::{Lowered, lower};
