//! Artifacts that no compiler made, and calls of every function.

mod hostile;
mod mutated;
mod signatures;
