//! The engine against an evaluator that computes everything anew, and its behaviour case by case.

mod behaviour;
mod functions;
mod invariants;
mod naive;
pub(crate) mod programs;
mod properties;
mod waiting;
pub(crate) mod world;
