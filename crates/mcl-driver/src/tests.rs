//! Artifacts that no compiler made, the layout of artifacts, calls of every function, the examples of `mclc explain`, and programs with their verdicts.

mod documentation;
mod explanations;
mod hostile;
mod imports;
mod layouts;
mod mutated;
mod program;
mod refused;
mod signatures;
mod verdicts;
