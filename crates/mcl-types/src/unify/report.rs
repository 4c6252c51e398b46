//! The messages of this stage: what was expected, what was found, and where each of the two comes from.

use std::fmt::Write;

use mcl_diagnostics::{Code, Diagnostic, Span, Stage};

use super::Unifier;
use super::condition::Kinds;
use super::types::{Clash, Node, Ty};

/// Types in messages are cut at this depth.
const MAX_TEXT_DEPTH: u32 = 8;

pub(super) fn error(code: Code, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, Stage::Unify, message)
}

/// `str, int or float`.
pub(super) fn kind_list(kinds: Kinds) -> String {
    let names = [
        (Kinds::BOOL, "`bool`"),
        (Kinds::STR, "`str`"),
        (Kinds::INT, "`int`"),
        (Kinds::FLOAT, "`float`"),
        (Kinds::LIST, "lists"),
        (Kinds::MAP, "maps"),
        (Kinds::STRUCT, "structs"),
        (Kinds::FUNC, "functions"),
    ];
    let names: Vec<&str> = names.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, name)| *name).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => String::from("nothing"),
    }
}

pub(super) fn variant(written: Span) -> Diagnostic {
    error(Code::E0719, "no value has the type `variant`").at(written).help("leave the type out; it is found by itself")
}

/// `1 argument`, `2 arguments`.
pub(super) fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// Shows where a type comes from; a label that stands there already says it as well.
fn origin_label(mut diagnostic: Diagnostic, origin: Span, text: &str) -> Diagnostic {
    match diagnostic.labels.iter_mut().find(|label| label.span == origin) {
        Some(label) => {
            let _ = write!(label.text, " is `{text}`");
            diagnostic
        }
        None => diagnostic.label(origin, format!("`{text}` comes from here")),
    }
}

impl Unifier<'_> {
    /// Requires two types to be equal; `message` gets the texts of the expected and the found type. Says whether they are.
    pub(super) fn expect(
        &mut self,
        expected: Ty,
        found: Ty,
        span: Span,
        message: impl FnOnce(&str, &str) -> String,
    ) -> bool {
        self.expect_because(expected, found, span, None, message)
    }

    /// The same, with a further place to point at.
    pub(super) fn expect_because(
        &mut self,
        expected: Ty,
        found: Ty,
        span: Span,
        place: Option<(Span, &str)>,
        message: impl FnOnce(&str, &str) -> String,
    ) -> bool {
        let result = self.types.unify(expected, found);
        let fits = result.is_ok();
        if let Err(clash) = result {
            let (expected, found) = (self.text(expected), self.text(found));
            let code = if clash.infinite { Code::E0717 } else { self.code_of(clash) };
            let mut diagnostic = error(code, message(&expected, &found)).at(span);
            if let Some((place, text)) = place.filter(|(place, _)| *place != span) {
                diagnostic = diagnostic.label(place, text);
            }
            let diagnostic = self.clash_labels(diagnostic, clash, span);
            self.report(diagnostic);
        }
        self.settle();
        fits
    }

    fn code_of(&self, clash: Clash) -> Code {
        match (self.types.node(clash.expected), self.types.node(clash.found)) {
            (Node::Struct(_), Node::Struct(_)) => Code::E0721,
            (Node::Func(..), Node::Func(..)) => Code::E0704,
            _ => Code::E0701,
        }
    }

    /// Shows where the two sides of a clash come from.
    pub(super) fn clash_labels(&mut self, mut diagnostic: Diagnostic, clash: Clash, span: Span) -> Diagnostic {
        if clash.infinite {
            return diagnostic.help("a type cannot contain itself");
        }
        let (expected_at, found_at) = (self.types.origin(clash.expected), self.types.origin(clash.found));
        let (expected, found) = (self.text(clash.expected), self.text(clash.found));
        if found_at == span {
            diagnostic.span_label = format!("this is `{found}`");
        } else {
            diagnostic = origin_label(diagnostic, found_at, &found);
        }
        if expected_at != span && expected_at != found_at {
            diagnostic = origin_label(diagnostic, expected_at, &expected);
        }
        if let (Node::Struct(a), Node::Struct(b)) = (self.types.node(clash.expected), self.types.node(clash.found)) {
            let mut names = [a, b].map(|fields| fields.iter().map(|(name, _)| &**name).collect::<Vec<_>>());
            names.iter_mut().for_each(|names| names.sort_unstable());
            if names[0] == names[1] {
                diagnostic =
                    diagnostic.help("the fields are the same, but in another order; the order is part of the type");
            }
        }
        diagnostic
    }

    /// A type as people write it; `?` for what is not known.
    pub(super) fn text(&mut self, ty: Ty) -> String {
        let mut text = String::new();
        self.print(ty, MAX_TEXT_DEPTH, &mut text);
        text
    }

    fn print(&mut self, ty: Ty, depth: u32, out: &mut String) {
        let ty = self.types.resolve(ty);
        if depth == 0 {
            out.push('…');
            return;
        }
        match self.types.node(ty).clone() {
            Node::Error | Node::Unknown(_) => out.push('?'),
            Node::Bool => out.push_str("bool"),
            Node::Str => out.push_str("str"),
            Node::Int => out.push_str("int"),
            Node::Float => out.push_str("float"),
            Node::List(element) => {
                out.push_str("[]");
                self.print(element, depth - 1, out);
            }
            Node::Map(key, value) => {
                out.push_str("map{");
                self.print(key, depth - 1, out);
                out.push_str(": ");
                self.print(value, depth - 1, out);
                out.push('}');
            }
            Node::Struct(fields) => {
                out.push_str("struct{");
                for (i, (name, ty)) in fields.iter().enumerate() {
                    let _ = write!(out, "{}{name} ", if i > 0 { "; " } else { "" });
                    self.print(*ty, depth - 1, out);
                }
                out.push('}');
            }
            Node::Func(args, result) => {
                out.push_str("func(");
                for (i, ty) in args.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    self.print(*ty, depth - 1, out);
                }
                out.push_str(") ");
                self.print(result, depth - 1, out);
            }
        }
    }
}
