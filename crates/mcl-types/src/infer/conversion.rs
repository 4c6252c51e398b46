//! How to write a value of one type as a value of another.

use mcl_diagnostics::Span;
use mcl_parser::ast::{Ast, Expr};

/// A literal of the program.
pub(crate) enum Literal<'a> {
    Bool(bool),
    Int {
        value: i64,
        /// The number of characters, with leading zeros.
        width: usize,
    },
    Str(&'a str),
}

impl<'a> Literal<'a> {
    /// Returns the literal that an expression is.
    pub(crate) fn of(ast: &'a Ast, expr: &Expr, span: Span) -> Option<Literal<'a>> {
        match expr {
            Expr::Bool(value) => Some(Literal::Bool(*value)),
            Expr::Int(value) => {
                Some(Literal::Int { value: *value, width: span.end.saturating_sub(span.start) as usize })
            }
            Expr::Str(value) => Some(Literal::Str(ast.string(*value))),
            _ => None,
        }
    }
}

/// Returns the literal of the expected type that is meant by another one.
pub(crate) fn converted(expected: &str, literal: &Literal<'_>) -> Option<String> {
    match (expected, literal) {
        ("str", Literal::Int { value, width }) => Some(format!("\"{value:0width$}\"")),
        ("str", Literal::Bool(value)) => Some(format!("\"{value}\"")),
        ("float", Literal::Int { value, .. }) => Some(format!("{value}.0")),
        ("bool", Literal::Str(text)) if matches!(*text, "true" | "false") => Some(text.to_string()),
        ("int", Literal::Str(text)) => text.parse::<i64>().ok().map(|number| number.to_string()),
        _ => None,
    }
}

/// Returns what to write to get a value of the expected type.
pub(crate) fn conversion(expected: &str, found: &str, literal: Option<&Literal<'_>>) -> Option<String> {
    if let Some(written) = literal.and_then(|literal| converted(expected, literal)) {
        let quotes = if found == "str" { ", without quotes" } else { "" };
        return Some(format!("write `{written}`{quotes}"));
    }
    // No function makes a number of other text.
    if matches!((expected, literal), ("int" | "float", Some(Literal::Str(_)))) {
        return None;
    }
    let (call, module) = match (expected, found) {
        ("str", "int") => ("fmt.printf(\"%d\", …)", "fmt"),
        ("str", "float") => ("fmt.printf(\"%f\", …)", "fmt"),
        ("str", "bool") => ("fmt.printf(\"%t\", …)", "fmt"),
        ("int", "str") => ("convert.str_to_int(…)", "convert"),
        ("float", "int") => ("convert.to_float(…)", "convert"),
        ("float", "str") => ("convert.str_to_float(…)", "convert"),
        ("int", "float") => ("convert.to_int(…)", "convert"),
        ("[]str", "str") => return Some("a list of one element is written `[…]`".to_owned()),
        _ => return None,
    };
    Some(format!("convert it: `{call}` of the module \"{module}\""))
}

#[cfg(test)]
mod tests {
    use super::{Literal, conversion};

    #[test]
    fn literals_are_rewritten_and_other_values_converted() {
        let mode = Literal::Int { value: 644, width: 4 };
        let quoted = Literal::Str("true");
        assert_eq!(conversion("str", "int", Some(&mode)).as_deref(), Some("write `\"0644\"`"));
        assert_eq!(conversion("float", "int", Some(&mode)).as_deref(), Some("write `644.0`"));
        assert_eq!(conversion("bool", "str", Some(&quoted)).as_deref(), Some("write `true`, without quotes"));
        assert_eq!(conversion("bool", "str", Some(&Literal::Str("yes"))), None);
        assert!(conversion("str", "int", None).is_some_and(|help| help.contains("fmt.printf(\"%d\", …)")));
    }
}
