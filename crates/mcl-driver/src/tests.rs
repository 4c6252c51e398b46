//! Artifacts that no compiler made.

mod hostile;
mod mutated;
