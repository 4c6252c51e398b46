//! Tests of the engine: against an interpreter that computes everything from scratch, and case by case.

mod behaviour;
mod functions;
mod invariants;
pub(crate) mod programs;
mod properties;
mod reference_interpreter;
pub(crate) mod test_environment;
mod waiting;
