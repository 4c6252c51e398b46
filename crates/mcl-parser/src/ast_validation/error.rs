//! Errors of the init checks, as data and as diagnostics.

use mcl_diagnostics::{Code, Diagnostic, Fix, Span, Stage};

use crate::interpolate::double_underscore;

/// An error of the init checks.
pub struct ValidationError {
    pub kind: ValidationErrorKind,
    pub span: Span,
}

/// The kinds of [`ValidationError`].
pub enum ValidationErrorKind {
    DuplicateField {
        name: String,
        first: Span,
    },
    InvalidKeyType {
        ty: String,
    },
    MismatchedKeys {
        first: (String, Span),
        found: String,
    },
    DuplicateKey {
        value: String,
        first: Span,
    },
    DuplicateStructField {
        name: String,
        first: Span,
    },
    UnknownEdgeProperty {
        name: String,
        near: Option<&'static str>,
    },
    ImportInLoop,
    /// A reference to a variable with two consecutive underscores in its name.
    DoubleUnderscore {
        name: String,
    },
    EmptyImport,
}

impl From<ValidationError> for Diagnostic {
    fn from(error: ValidationError) -> Diagnostic {
        let span = error.span;
        let init_error = |code, message: String| Diagnostic::error(code, Stage::Init, message);
        let duplicate = |code, message: String, first| {
            init_error(code, message).at_with(span, "given again here").label(first, "first given here")
        };
        match error.kind {
            ValidationErrorKind::DuplicateField { name, first } => {
                duplicate(Code::E0301, format!("duplicate field `{name}` in a resource"), first)
            }
            ValidationErrorKind::InvalidKeyType { ty } => {
                init_error(Code::E0303, format!("invalid map key type `{ty}`"))
                    .at(span)
                    .help("keys are bool, str, int, float, or structs of these")
            }
            ValidationErrorKind::MismatchedKeys { first: (first, first_span), found } => {
                init_error(Code::E0304, format!("mismatched map key types: `{first}` and `{found}`"))
                    .at_with(span, format!("this key is `{found}`"))
                    .label(first_span, format!("this key is `{first}`"))
            }
            ValidationErrorKind::DuplicateKey { value, first } => {
                duplicate(Code::E0305, format!("duplicate map key `{value}`"), first)
            }
            ValidationErrorKind::DuplicateStructField { name, first } => {
                duplicate(Code::E0306, format!("duplicate field `{name}` in a struct"), first)
            }
            ValidationErrorKind::UnknownEdgeProperty { name, near } => {
                init_error(Code::E0307, format!("unknown edge property `{}`", capitalized(&name)))
                    .at(span)
                    .help(edge_property_help(&name, near))
                    .fixes(meant_edge_property(&name, near).map(|word| Fix::replace_with(span, word)))
            }
            ValidationErrorKind::ImportInLoop => {
                init_error(Code::E0309, "an import is not allowed directly in the body of a loop".to_owned())
                    .at(span)
                    .help("move it before the loop")
            }
            ValidationErrorKind::DoubleUnderscore { name } => double_underscore(&name, Stage::Init, span),
            ValidationErrorKind::EmptyImport => {
                init_error(Code::E0311, "missing module name in an import".to_owned()).at(span)
            }
        }
    }
}

fn meant_edge_property(name: &str, near: Option<&str>) -> Option<String> {
    match (near, name) {
        (Some(near), _) => Some(capitalized(near)),
        (None, "require") => Some("Depend".to_owned()),
        (None, "subscribe") => Some("Listen".to_owned()),
        (None, _) => None,
    }
}

fn edge_property_help(name: &str, near: Option<&str>) -> String {
    match (near, name) {
        (Some(near), _) => format!("did you mean `{}`?", capitalized(near)),
        (None, "require") => "write `Depend`: the other resource comes first".to_owned(),
        (None, "subscribe") => "write `Listen`: the other resource comes first and refreshes this one".to_owned(),
        (None, _) => "the edge properties are `Before`, `Notify`, `Depend` and `Listen`".to_owned(),
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(chars).collect()
}
