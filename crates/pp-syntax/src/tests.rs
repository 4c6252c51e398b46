//! Tests of the whole crate.

mod errors;
mod fuzz;
mod oracle;
mod recorded;
mod support;
mod trees;
