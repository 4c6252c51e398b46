//! What is wrong with the parameters of a class or of an instance of a define.

use mcl_diagnostics::{Code, Span};
use pp_catalog::Reference;
use pp_types::{
    Error, ErrorKind, Type, Value, describe_mismatch, mismatch_hint, operand_name, source_form, with_article,
};

use crate::stop::{Stop, unlocated};

/// Something that is wrong with a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The text, as Puppet words it.
    pub text: String,
    /// What a source location shows of it.
    pub label: Option<(Span, String)>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Problem {
    /// A parameter without value and default; `declared` is where it is declared.
    pub(crate) fn missing(name: &str, declared: Span) -> Problem {
        let text = format!("expects a value for parameter '{name}'");
        Problem { text, label: Some((declared, "required parameter".to_owned())), help: None }
    }

    /// An attribute that is not a parameter; `set` is where it is set.
    pub(crate) fn unknown(name: &str, set: Option<Span>) -> Problem {
        let label = set.map(|span| (span, "unknown parameter".to_owned()));
        Problem { text: format!("has no parameter named '{name}'"), label, help: None }
    }

    /// A value of the wrong type. `origin` is where it comes from, with the beginning of a label.
    pub(crate) fn mismatches(name: &str, ty: &Type, value: &Value, origin: Option<(Span, &str)>) -> Vec<Problem> {
        let text = describe_mismatch(&format!("parameter '{name}'"), ty, value);
        let lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty());
        let problem = |line: &str| Problem { text: line.to_owned(), label: None, help: None };
        let mut problems: Vec<Problem> = lines.map(problem).collect();
        if let Some(first) = problems.first_mut() {
            first.label = origin.map(|(span, start)| (span, format!("{start} {}", short_form(value))));
            first.help = mismatch_hint(ty, value);
        }
        problems
    }
}

/// Combines the problems of a resource into one error.
pub(crate) fn rejected(reference: &Reference, problems: Vec<Problem>) -> Stop {
    let mut stop = unlocated(Error::new(ErrorKind::Mismatch, problems_text(reference, &problems))).code(Code::P0502);
    stop = stop.help(problems.iter().find_map(|problem| problem.help.clone()));
    for (span, text) in problems.into_iter().filter_map(|problem| problem.label) {
        stop = stop.trace(Some(span), text);
    }
    stop
}

/// `D[x]: has no parameter named 'q'`, or a line for each of several problems.
pub(crate) fn problems_text(reference: &Reference, problems: &[Problem]) -> String {
    match problems {
        [problem] => format!("{reference}: {}", problem.text),
        problems => problems.iter().fold(format!("{reference}:"), |all, problem| format!("{all}\n  {}", problem.text)),
    }
}

/// Returns a value as a label shows it: the source form of short scalars, else its type. Sensitive values are not shown.
fn short_form(value: &Value) -> String {
    const LONGEST: usize = 40;
    match value {
        Value::String(text) if text.chars().count() > LONGEST => with_article(&operand_name(value)),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Default | Value::Undef => {
            format!("`{}`", source_form(value))
        }
        other => with_article(&operand_name(other)),
    }
}
