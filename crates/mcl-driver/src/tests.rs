//! Artifacts that no compiler made, calls of every function, and the examples of `mclc explain`.

mod explanations;
mod hostile;
mod mutated;
mod signatures;
