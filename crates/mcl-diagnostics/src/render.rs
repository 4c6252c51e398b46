//! The output formats, one module each: `human`, `short`, `json`, `sarif`, `github`, `gitlab`.
//!
//! A renderer reads diagnostics and the files that they refer to, and returns a string. The caller decides where to write it.

use crate::Diagnostic;

mod escape;
mod explanation;
mod fingerprint;
mod github;
mod gitlab;
mod human;
mod json;
mod program;
mod sarif;
mod short;

pub use explanation::explain;
pub use program::{Program, Style};

/// The output formats for diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Excerpts of the source with the spans marked, for people.
    Human,
    /// `file:line:col: error[E0601]: message`, one line per diagnostic, for editors and `grep`.
    Short,
    /// One JSON object per line, the contract of the command-line tools.
    Json,
    /// A SARIF 2.1.0 log, for code scanning services.
    Sarif,
    /// Commands of a GitHub workflow, which become annotations.
    GitHub,
    /// A report of GitLab's Code Quality.
    GitLab,
}

/// Sorts diagnostics in output order: by stage, earliest first, then by span, with those without a span last. Syntax errors of
/// manifests come before what is wrong with their definitions, as if they were a stage. The first error is thus the primary one.
/// Duplicates are removed. The format for people shows them by file and place.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    fn key(d: &Diagnostic) -> impl Ord + '_ {
        (d.stage, !d.code.is_manifest_syntax(), d.span.is_none(), d.span, d.severity, d.code.name(), d.message.as_str())
    }
    diagnostics.sort_by(|a, b| key(a).cmp(&key(b)));
    diagnostics.dedup();
}

/// Returns the diagnostics of all programs in one format; ends in a newline unless it is empty.
#[must_use]
pub fn render(programs: &[Program<'_>], format: Format, style: Style) -> String {
    match format {
        Format::Human => programs.iter().map(|p| human::render(p, style)).collect(),
        Format::Short => programs.iter().map(short::render).collect(),
        Format::Json => programs.iter().map(json::render).collect(),
        Format::Sarif => sarif::render(programs),
        Format::GitHub => programs.iter().map(github::render).collect(),
        Format::GitLab => gitlab::render(programs),
    }
}

#[cfg(test)]
mod tests;
