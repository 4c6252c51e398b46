//! What the fuzzers share, and the tool that measures how well the front end reports a single mistake.
//!
//! The tool breaks tokens: every token of an accepted program is deleted, doubled, and replaced by a token of each other kind.
//! Of the programs that are then rejected, two shares matter: those with more than one error (one mistake should be one
//! error), and those whose first error is on the line of the broken token.

pub mod artifacts;
pub mod breaking;
pub mod manifest;
pub mod program;
pub mod report;
pub mod session;
pub mod state;
pub mod words;
