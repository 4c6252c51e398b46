//! Artifact files: the container every stage writes, and the function-graph program that the runtime loads.
//!
//! This crate is the contract between compiler and runtime, so it depends on neither: no lexer, parser, type checker, no
//! engine. [`program`] is the payload of the `fgraph` stage. The container (magic, format version, stage, producer,
//! length, checksum; payload in bincode behind one module) rejects truncated, corrupted, foreign, newer and hostile files
//! with one A-diagnostic and allocates no more than the file warrants.

pub mod program;
