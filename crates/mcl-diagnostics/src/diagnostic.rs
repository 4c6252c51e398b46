//! What a diagnostic is.

use serde::{Deserialize, Serialize};

use crate::{Code, Files, Span};

/// Where in the pipeline a diagnostic was made; the names are part of the JSON contract.
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

/// How bad it is. Only errors fail a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
}

/// A further place with a word on why it matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// One problem, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The stable code, e.g. E0601.
    pub code: Code,
    /// Who found it.
    pub stage: Stage,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence without a final period.
    pub message: String,
    /// The primary place; `None` only where no source exists.
    pub span: Option<Span>,
    /// What to print under the primary span; empty for nothing.
    pub span_label: String,
    /// Further places.
    pub labels: Vec<Label>,
    /// The way out.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error without a place yet.
    #[must_use]
    pub fn error(code: Code, stage: Stage, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            stage,
            severity: Severity::Error,
            message: message.into(),
            span: None,
            span_label: String::new(),
            labels: Vec::new(),
            help: None,
        }
    }

    /// A warning without a place yet.
    #[must_use]
    pub fn warning(code: Code, stage: Stage, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, stage, message) }
    }

    /// Sets the primary place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Diagnostic {
        self.span = Some(span);
        self
    }

    /// Sets the primary place and the text under it.
    #[must_use]
    pub fn at_with(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.span = Some(span);
        self.span_label = text.into();
        self
    }

    /// Adds a further place.
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

    /// What shows inside a module that is part of the compiler is the mistake of the program that uses it: its place
    /// there becomes the primary one, if the diagnostic has any. Says whether it did.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stage;

    #[test]
    fn a_mistake_inside_an_embedded_module_is_the_programs() {
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
