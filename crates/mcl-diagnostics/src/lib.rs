//! Files, spans, diagnostic codes, and the renderers that turn a diagnostic into what a person or a script reads.
//!
//! Every crate reports through these types and never formats a message for a terminal itself. A [`Diagnostic`] is data: a
//! code, a stage, a severity, a primary span, labels, and a help. [`render()`] prints it in one of four formats (human,
//! short, JSON lines, SARIF). Codes are declared once, with title and explanation ([`CodeInfo`]); `mclc explain` prints
//! them.
//!
//! This crate knows nothing of tokens, syntax, types or resources.

mod codes;
mod diagnostic;
pub mod explanation;
mod render;
mod source;
mod suggest;

pub use codes::{Code, CodeInfo, all_codes};
pub use diagnostic::{Diagnostic, Label, Severity, Stage};
pub use render::{Format, Program, Style, counts, explain, render, sort};
pub use source::{FileId, Files, LineCol, SourceFile, Span};
pub use suggest::nearest;
