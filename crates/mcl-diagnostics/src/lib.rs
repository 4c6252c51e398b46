//! Source files, spans, diagnostic codes, diagnostics, and their renderers.
//!
//! Every crate reports through these types and never formats a message for a terminal itself. A [`Diagnostic`] is data: a
//! code, a stage, a severity, a message, a primary span, labels, a help text and [`Fix`]es. [`render()`] turns diagnostics into one of
//! six formats, for people, editors, scripts and services. Each [`Code`] is declared once, together with its explanation in
//! Markdown, which [`explain()`] renders for `mclc explain`.
//!
//! This crate does not know tokens, syntax, types or resources.

mod codes;
mod diagnostic;
pub mod explanation;
mod fix;
mod input;
mod lints;
mod render;
mod source;
mod suggest;
pub mod table;

pub use codes::{Code, CodeInfo, all_codes};
pub use diagnostic::{Diagnostic, Label, Severity, Stage, counts};
pub use fix::{Applicability, Change, Fix};
pub use input::read_input;
pub use lints::{LevelSetting, LintLevel, LintNameError, LintSelector};
pub use render::{Format, Program, Style, explain, render, sort};
pub use source::{FileId, Files, LineCol, SourceFile, Span};
pub use suggest::nearest;
