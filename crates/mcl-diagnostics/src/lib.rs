//! Files, spans, diagnostic codes, and the renderers that turn a diagnostic into what a person or a script reads.
//!
//! Every crate of the house reports through the types here and never formats text for a terminal itself. A
//! [`Diagnostic`] is data: a code, a stage, a severity, one primary span, secondary labels, and a help text. The three
//! output forms (human, short, JSON lines) and SARIF are made in [`render`], in one place. Codes are declared once, with
//! their title and long explanation, in [`codes`]; `mclc explain` prints them.
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
