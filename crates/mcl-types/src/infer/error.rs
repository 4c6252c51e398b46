//! The errors of the unify stage that are not type errors, as data, and their wording.

use std::ops::RangeInclusive;

use mcl_diagnostics::{Code, Diagnostic, Fix, Label, Span, Stage};

use crate::synonyms;

/// An error that is not a [`TypeError`](crate::solver::error::TypeError). Types in it are formatted already.
pub(crate) enum InferError {
    /// A binding or parameter is annotated as `variant`.
    Variant {
        written: Span,
    },
    /// A call with the wrong number of arguments; `callee` is the span of the function, if it is part of the program.
    ArgumentCount {
        function: String,
        expected: RangeInclusive<usize>,
        found: usize,
        span: Span,
        callee: Option<Span>,
        /// The function with its parameters.
        signature: Option<String>,
    },
    NotCallable {
        callee: String,
        ty: String,
        span: Span,
        origin: Span,
    },
    /// A function, or else a class or file, whose every use creates more than `limit` type variables.
    TooManyVariables {
        origin: Span,
        is_function: bool,
        limit: usize,
    },
    /// A type with more than `limit` levels of nesting.
    TypeTooDeep {
        origin: Span,
        limit: u32,
    },
    /// `needed_at` is an operation that needs the type to be known.
    CannotInfer {
        origin: Span,
        needed_at: Option<Span>,
    },
    UnknownKind {
        kind: String,
        span: Span,
        similar: Option<String>,
    },
    UnknownField {
        kind: &'static str,
        field: String,
        span: Span,
        help: String,
        /// The field that was most likely meant.
        near: Option<&'static str>,
    },
    EdgeWithOneEnd {
        span: Span,
    },
    /// An edge that sends a value.
    Send {
        error: SendError,
        edge: Span,
        end: Span,
    },
    UnknownVerb {
        verb: String,
        call: ConstStrSite,
    },
    ValueCount {
        verbs: usize,
        values: usize,
        call: ConstStrSite,
    },
    InvalidTypeString {
        written: String,
        call: ConstStrSite,
    },
}

/// What is wrong with an edge that sends a value. `kind` is the resource kind of the end at fault.
pub(crate) enum SendError {
    MissingKey,
    CannotSend {
        kind: &'static str,
    },
    CannotReceive {
        kind: &'static str,
    },
    UnknownKey {
        kind: &'static str,
        key: String,
        similar: Option<&'static str>,
        keys: Vec<&'static str>,
    },
    UnknownField {
        kind: &'static str,
        field: String,
        similar: Option<&'static str>,
    },
    Type {
        sent: Sent,
        received: Sent,
        sender: Span,
    },
    /// The types are the same, but the host stores the field of the receiver in another width.
    Width {
        sent: Sent,
        received: Sent,
        sender: Span,
    },
}

/// A value that an end of an edge sends or receives.
pub(crate) struct Sent {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) ty: &'static str,
}

/// A call whose types depend on the value of a string.
pub(crate) struct ConstStrSite {
    pub(crate) span: Span,
    /// The span of the string argument.
    pub(crate) string: Span,
    /// The include whose arguments determine the string.
    pub(crate) include: Option<Span>,
}

/// Formats a number with its noun: `no arguments`, `1 argument`, `2 arguments`.
fn count(n: usize, noun: &str) -> String {
    match n {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// Makes an error of this stage.
pub(crate) fn error(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Unify, message)
}

impl From<InferError> for Diagnostic {
    fn from(infer_error: InferError) -> Diagnostic {
        match infer_error {
            InferError::Variant { written } => error(Code::E0719, "invalid annotation `variant`")
                .at(written)
                .help("no value has the type `variant`; omit the annotation, and the type is inferred"),
            InferError::ArgumentCount { function, expected, found, span, callee, signature } => {
                let (low, high) = (*expected.start(), *expected.end());
                let expected = if low == high {
                    count(low, "argument")
                } else if high == usize::MAX {
                    format!("at least {}", count(low, "argument"))
                } else {
                    format!("{low} to {}", count(high, "argument"))
                };
                let diagnostic =
                    error(Code::E0704, format!("expected {expected} for `{function}`, found {found}")).at(span);
                let diagnostic = match signature {
                    Some(signature) => diagnostic.help(format!("call it as `{signature}`")),
                    None => diagnostic,
                };
                with_label(diagnostic, callee.filter(|callee| *callee != span), "the function")
            }
            InferError::NotCallable { callee, ty, span, origin } => {
                let message = format!("cannot call `{callee}`: expected a function, found `{ty}`");
                let label = Some(origin).filter(|origin| *origin != span);
                with_label(error(Code::E0705, message).at(span), label, &format!("this is `{ty}`"))
            }
            InferError::TooManyVariables { origin, is_function, limit } => {
                let (what, help) = if is_function {
                    ("a call of this function creates", "annotate the parameters, or take a list or a struct")
                } else {
                    (
                        "an include of this class creates",
                        "annotate the parameters of the classes; those that include others several times multiply them",
                    )
                };
                let message = format!("too many type variables: {what} more than {}", grouped(limit));
                error(Code::E0802, message).at(origin).help(help)
            }
            InferError::TypeTooDeep { origin, limit } => {
                error(Code::E0720, format!("type nested more than {limit} levels deep")).at(origin)
            }
            InferError::CannotInfer { origin, needed_at } => {
                let diagnostic = error(Code::E0706, "cannot infer the type of this expression").at(origin).help(
                    "give the variable a type, for example `$name []str = …`, or use it where only one type fits",
                );
                with_label(diagnostic, needed_at, "type needed here")
            }
            InferError::UnknownKind { kind, span, similar } => {
                let diagnostic = error(Code::E0710, format!("unknown resource kind `{kind}`")).at(span);
                match synonyms::keyword(&kind) {
                    Some(help) => diagnostic.help(help),
                    None => {
                        // In an edge, the span covers the name of the resource, too.
                        let name = Span { end: (span.start + kind.len() as u32).min(span.end), ..span };
                        let fix = similar.as_deref().map(|similar| Fix::replace_with(name, similar));
                        did_you_mean(diagnostic, similar.as_deref()).fixes(fix)
                    }
                }
            }
            InferError::UnknownField { kind, field, span, help, near } => {
                let fix = near.map(|near| Fix::replace_with(span, near));
                error(Code::E0711, format!("unknown field `{field}` of `{kind}`")).at(span).help(help).fixes(fix)
            }
            InferError::EdgeWithOneEnd { span } => error(Code::E0713, "missing second end of this edge")
                .at(span)
                .help("an edge connects two or more resources: `A[\"a\"] -> B[\"b\"]`"),
            InferError::Send { error, edge, end } => send_error(error, edge, end),
            InferError::UnknownVerb { verb, call } => call.diagnostic(
                Code::E0715,
                format!("unknown format verb `{verb}`"),
                "format string",
                "the verbs are %s %q %d %f %t %v %T, and %% for a percent sign",
            ),
            InferError::ValueCount { verbs, values, call } => call.diagnostic(
                Code::E0715,
                format!("expected {} for the format string, found {values}", count(verbs, "value")),
                &count(verbs, "verb"),
                "each verb formats one value",
            ),
            InferError::InvalidTypeString { written, call } => call.diagnostic(
                Code::E0718,
                format!("invalid type `{written}`"),
                "type string",
                "types look like `[]int`, `map{str: bool}`, `struct{a int; b str}`",
            ),
        }
    }
}

fn send_error(send_error: SendError, edge: Span, end: Span) -> Diagnostic {
    let at_end = |message: String, label: &str| error(Code::E0714, message).at(edge).label(end, label);
    match send_error {
        SendError::MissingKey => at_end("missing key at one end of this edge".to_owned(), "missing key")
            .help("an edge that sends a value names a key at both ends: `A[\"a\"].sent -> B[\"b\"].field`"),
        SendError::CannotSend { kind } => at_end(format!("`{kind}` cannot send values"), "cannot send"),
        SendError::CannotReceive { kind } => at_end(format!("`{kind}` cannot receive values"), "cannot receive"),
        SendError::UnknownKey { kind, key, similar, keys } => {
            let diagnostic = at_end(format!("`{kind}` does not send `{key}`"), "unknown key");
            match similar {
                Some(_) => did_you_mean(diagnostic, similar),
                None => {
                    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
                    diagnostic.help(format!("`{kind}` sends {}", keys.join(", ")))
                }
            }
        }
        SendError::UnknownField { kind, field, similar } => {
            did_you_mean(at_end(format!("unknown field `{field}` of `{kind}`"), "unknown field"), similar)
        }
        SendError::Type { sent, received, sender } => {
            let message = format!("expected `{}`, found `{}`", received.ty, sent.ty);
            error(Code::E0714, message).at(edge).label(sender, sent.sends()).label(end, received.receives())
        }
        SendError::Width { sent, received, sender } => {
            let message = format!(
                "cannot send `{}` to `{}`: both are `{}`, but of different widths on the host",
                sent.name, received.name, sent.ty
            );
            error(Code::E0714, message).at(edge).label(sender, sent.sends()).label(end, received.receives())
        }
    }
}

impl Sent {
    fn sends(&self) -> String {
        format!("`{}` sends `{}` as `{}`", self.kind, self.name, self.ty)
    }

    fn receives(&self) -> String {
        format!("the field `{}` of `{}` is `{}`", self.name, self.kind, self.ty)
    }
}

impl ConstStrSite {
    fn diagnostic(&self, code: Code, message: String, label: &str, help: &str) -> Diagnostic {
        let diagnostic = error(code, message).at(self.span).help(help);
        let diagnostic = with_label(diagnostic, Some(self.string).filter(|string| *string != self.span), label);
        with_label(diagnostic, self.include, FOR_THIS_INCLUDE)
    }
}

/// The label of the include whose instance an error concerns.
pub(crate) const FOR_THIS_INCLUDE: &str = "for this include";

/// Adds a label, if there is a span for it.
pub(crate) fn with_label(mut diagnostic: Diagnostic, span: Option<Span>, text: &str) -> Diagnostic {
    diagnostic.labels.extend(span.map(|span| Label { span, text: text.to_owned() }));
    diagnostic
}

fn did_you_mean(diagnostic: Diagnostic, similar: Option<&str>) -> Diagnostic {
    match similar {
        Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
        None => diagnostic,
    }
}

/// Formats a number with thousands separators.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_separated() {
        assert_eq!(["7", "65536", "1000000"].map(|n| grouped(n.parse().unwrap())), ["7", "65,536", "1,000,000"]);
    }
}
