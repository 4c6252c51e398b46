//! Artifact files: the container every stage writes, and the function-graph program that the runtime loads.
//!
//! This crate is the contract between compiler and runtime, so it depends on neither: no lexer, parser, type checker, no
//! engine. [`program`] is the payload of the `fgraph` stage. [`write()`] and [`read()`] are the container: magic, format
//! version, stage, producer, length, checksum, and the payload in bincode behind one module. Truncated, corrupted,
//! foreign, newer and hostile files (lengths that lie, indices out of range, cycles, deep nesting) end in one
//! A-diagnostic, and reading allocates no more than the file warrants.
//!
//! Equal payloads give equal bytes, on every machine; nothing of the building machine is in them.

pub mod inspect;
pub mod program;

mod bounded;
mod bytes;
mod codec;
mod container;
mod invalid;
mod masked;
mod sensitive;
#[cfg(test)]
mod tests;
mod validate;

pub use bounded::MAX_TYPE_NESTING;
pub use container::{
    ArtifactStage, FORMAT_VERSION, Header, is_artifact, read, read_header, read_program, stage_of, write, wrong_stage,
};
pub use invalid::Invalid;
pub use masked::{mask_constants, mask_sources};
pub use validate::validate;
