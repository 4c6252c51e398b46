//! Diagnostics as data.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{Code, Files, Fix, Span};

/// The stage of the pipeline that reports a diagnostic. The names are part of the JSON contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Stage {
    Lex,
    Parse,
    Init,
    Interpolate,
    Import,
    Scope,
    Unify,
    Graph,
    Stream,
    Interpret,
    Autoedge,
    Merge,
    Puppet,
    Artifact,
    Engine,
}

/// The severity of a diagnostic. Only errors make a command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
    /// A consequence that a user may want to know, and that needs no change.
    Note,
}

/// A secondary span with an annotation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The annotated span.
    pub span: Span,
    /// The annotation, a short noun phrase.
    pub text: String,
}

/// An error, a warning or a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The stable code, e.g. `E0601`.
    pub code: Code,
    /// The stage that reports it.
    pub stage: Stage,
    /// The severity.
    pub severity: Severity,
    /// The violation, in lower case and without a final period.
    pub message: String,
    /// The primary span; `None` only where there is no source.
    pub span: Option<Span>,
    /// The path of the file that it concerns, if it has no span and that is not the main file of the program.
    #[serde(skip)]
    pub path: Option<String>,
    /// The annotation of the primary span; empty for none.
    pub span_label: String,
    /// Secondary spans.
    pub labels: Vec<Label>,
    /// The rule, or how to fix the violation.
    pub help: Option<String>,
    /// The source in which errors of earlier stages are consequences of this one. Renderers do not show it.
    #[serde(skip)]
    pub covers: Option<Span>,
    /// How the source can be changed, the most likely way first.
    #[serde(skip)]
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// Creates an error without a span.
    #[must_use]
    pub fn error(code: Code, stage: Stage, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            stage,
            severity: Severity::Error,
            message: message.into(),
            span: None,
            path: None,
            span_label: String::new(),
            labels: Vec::new(),
            help: None,
            covers: None,
            fixes: Vec::new(),
        }
    }

    /// Creates a warning without a span.
    #[must_use]
    pub fn warning(code: Code, stage: Stage, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, stage, message) }
    }

    /// Creates a note without a span.
    #[must_use]
    pub fn note(code: Code, stage: Stage, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Note, ..Diagnostic::error(code, stage, message) }
    }

    /// Sets the primary span.
    #[must_use]
    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    /// Sets the primary span, if there is one.
    #[must_use]
    pub fn maybe_at(mut self, span: Option<Span>) -> Diagnostic {
        self.span = span.or(self.span);
        self
    }

    /// Sets the path of the file that it concerns, unless it has a place.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Diagnostic {
        if self.span.is_none() && self.path.is_none() {
            self.path = Some(path.display().to_string());
        }
        self
    }

    /// Sets the primary span and its annotation.
    #[must_use]
    pub fn at_with(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.span = Some(span);
        self.span_label = text.into();
        self
    }

    /// Adds a secondary span with an annotation.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Sets the help text.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Adds a way to change the source.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Diagnostic {
        self.fixes.push(fix);
        self
    }

    /// Adds ways to change the source, the most likely one first.
    #[must_use]
    pub fn fixes(mut self, fixes: impl IntoIterator<Item = Fix>) -> Diagnostic {
        self.fixes.extend(fixes);
        self
    }

    /// Sets the source in which errors of earlier stages are consequences of this one.
    #[must_use]
    pub fn covering(mut self, covers: Option<Span>) -> Diagnostic {
        self.covers = covers;
        self
    }

    /// Moves a diagnostic out of a module that is embedded in the compiler, because the mistake is in the program that uses
    /// the module: the first label in the program becomes the primary span. Returns whether there was such a label.
    pub fn blame_program(&mut self, files: &Files) -> bool {
        let is_embedded = |span: Span| files.get(span.file).is_some_and(|file| file.is_embedded());
        if let Some(span) = self.span.filter(|span| is_embedded(*span))
            && let Some(label) = self.labels.iter_mut().find(|label| !is_embedded(label.span))
        {
            self.span = Some(std::mem::replace(&mut label.span, span));
            std::mem::swap(&mut self.span_label, &mut label.text);
            return true;
        }
        false
    }
}

/// Returns the number of errors and the number of warnings.
#[must_use]
pub fn counts(diagnostics: &[Diagnostic]) -> (usize, usize) {
    let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count();
    (count(Severity::Error), count(Severity::Warning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stage;

    #[test]
    fn a_mistake_reported_in_an_embedded_module_is_moved_to_the_program() {
        let mut files = Files::default();
        let main = files.add("main.mcl", "include m.c(5)");
        let module = files.add("embeddedfs:///m/main.mcl", "class c($x) {}");
        let (here, there) = (Span::new(main, 0, 14), Span::new(module, 8, 10));
        let error = || Diagnostic::error(Code::E0701, Stage::Unify, "no").at_with(there, "used here");
        let mut blamed = error().label(here, "for this include");
        assert!(blamed.blame_program(&files));
        let right = Diagnostic::error(Code::E0701, Stage::Unify, "no").at_with(here, "for this include");
        assert_eq!(blamed, right.label(there, "used here"));
        let mut alone = error();
        assert!(!alone.blame_program(&files));
        assert_eq!(alone, error());
    }
}
