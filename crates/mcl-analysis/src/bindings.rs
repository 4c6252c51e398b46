//! Binding a value to a variable of its own before the statement that uses it.

use mcl_diagnostics::{FileId, Span};
use mcl_lexer::{TokenKind, lex};
use mcl_parser::ast::{Ast, Expr, Stmt, StmtId};

use crate::edits::TextEdit;
use crate::parses::parses;

/// Returns the binding, and the variable in place of a span. `None` where there is no statement to put it before: the body of a
/// function is one expression, whose parameters are known only inside of it. So it is if the value is not an expression.
pub(crate) fn bind(text: &str, span: Span, value: Option<&str>, is_in_string: bool) -> Option<[TextEdit; 2]> {
    let value = value.or_else(|| text.get(span.start as usize..span.end as usize))?;
    let tokens = lex(text);
    let tree = mcl_parser::parse(FileId::MAIN, text, &tokens).ast;
    let statement = innermost_statement(&tree, span)?;
    let start = tree.stmt_span(statement).start;
    let name = free_name(text, &last_word(value));
    let binding = format!("${name} = {value}\n");
    if !parses(&binding) {
        return None;
    }
    let line = &text[text[..start as usize].rfind('\n').map_or(0, |newline| newline + 1)..];
    let indent = &line[..line.len() - line.trim_start_matches(['\t', ' ']).len()];
    let usage = if is_in_string { format!("${{{name}}}") } else { format!("\"${{{name}}}\"") };
    Some([
        TextEdit { start, end: start, text: format!("{binding}{indent}") },
        TextEdit { start: span.start, end: span.end, text: usage },
    ])
}

/// Returns the smallest statement around a span, unless a function is between them.
pub(crate) fn innermost_statement(tree: &Ast, span: Span) -> Option<StmtId> {
    let contains = |outer: Span| outer.start <= span.start && span.end <= outer.end;
    let is_function = |expr: &Expr| matches!(expr, Expr::Func(_));
    if tree.exprs.iter().any(|(id, expr)| is_function(expr) && contains(tree.expr_span(id))) {
        return None;
    }
    let around = tree.stmts.keys().filter(|id| contains(tree.stmt_span(*id)));
    let innermost = around.min_by_key(|id| tree.stmt_span(*id).end - tree.stmt_span(*id).start)?;
    // A binding before the condition of an `else if` would be before all of the statement, which may be what guards the value.
    (!matches!(tree.stmt(innermost), Stmt::If(_))).then_some(innermost)
}

/// Returns the last name in a value.
pub(crate) fn last_word(value: &str) -> String {
    let tokens = lex(value);
    let mut names = tokens.indices().rev().filter(|token| tokens[*token] == TokenKind::Identifier);
    names.next().map_or_else(|| "value".to_owned(), |token| tokens.text(value, token).to_owned())
}

/// Returns a name that is not that of a variable of the text: this one, or one with a number.
pub(crate) fn free_name(text: &str, base: &str) -> String {
    let names = std::iter::once(base.to_owned()).chain((2..).map(|number| format!("{base}{number}")));
    let is_free = |name: &String| !text.match_indices(name.as_str()).any(|(at, _)| is_word_at(text, at, name.len()));
    names.into_iter().find(is_free).unwrap_or_else(|| base.to_owned())
}

/// Whether the bytes are a whole name that is used as a variable: after `$`, or in a reference of a string.
fn is_word_at(text: &str, at: usize, length: usize) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|before| bytes[before]);
    matches!(before, Some(b'$' | b'{')) && !is_word(bytes.get(at + length))
}
