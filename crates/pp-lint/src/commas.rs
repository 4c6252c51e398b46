//! The lint about commas after the last element of what ends on a line of its own.

use mcl_diagnostics::Code;
use pp_ast::{AttributeList, Expr, ExprId, TextRange};

use crate::context::{Context, Findings};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    if !findings.is_on(Code::W0346) {
        return;
    }
    let tree = context.tree;
    for expr in tree.exprs.values() {
        if let Expr::Array(elements) | Expr::Hash(elements) = expr
            && let Some(last) = tree.list(*elements).last()
        {
            check_last(context, findings, *last);
        }
    }
    let of_bodies = tree.bodies.iter().map(|body| body.attributes);
    let of_defaults = tree.defaults.iter().map(|defaults| defaults.attributes);
    let of_overrides = tree.overrides.iter().map(|overrides| overrides.attributes);
    of_bodies.chain(of_defaults).chain(of_overrides).for_each(|list| check_attributes(context, findings, list));
}

fn check_attributes(context: &Context<'_>, findings: &mut Findings<'_>, list: AttributeList) {
    if let Some(last) = context.tree.attributes(list).last() {
        check_last(context, findings, last.value);
    }
}

/// Checks what follows the last element: there must be a comma before a bracket on another line.
fn check_last(context: &Context<'_>, findings: &mut Findings<'_>, last: ExprId) {
    let range = context.range(last);
    // The text of a heredoc follows on the next lines.
    if context.source(last).contains("@(") {
        return;
    }
    let Some((at, found)) = next_code(context, range.end) else { return };
    let line = |at: u32| context.subject.file.line_of(at);
    if matches!(found, b'}' | b']') && line(at) != line(range.end) {
        let end = TextRange { start: range.end.saturating_sub(1), end: range.end };
        let help = "end the last line with a comma, too: the next one that is added changes no other line";
        findings.add(Code::W0346, end, "no comma after the last element", help);
    }
}

/// Returns the first byte of code from an offset on.
fn next_code(context: &Context<'_>, from: u32) -> Option<(u32, u8)> {
    let bytes = context.text.as_bytes().get(from as usize..)?;
    (from..).zip(bytes.iter().copied()).find(|(at, byte)| !byte.is_ascii_whitespace() && !context.map.is_comment(*at))
}
