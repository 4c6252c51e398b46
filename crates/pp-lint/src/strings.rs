//! Lints about string literals.

use mcl_diagnostics::Code;
use pp_ast::{Expr, ExprId, TextRange};
use rustc_hash::FxHashSet;

use crate::context::{Context, Findings};

pub(crate) fn check(context: &Context<'_>, findings: &mut Findings<'_>) {
    let tree = context.tree;
    let lists = tree.exprs.values().filter_map(|expr| match expr {
        Expr::Interpolation(segments) => Some(tree.list(*segments)),
        _ => None,
    });
    let segments: FxHashSet<ExprId> = lists.flatten().copied().collect();
    let templates = templates(context);
    for (id, expr) in &tree.exprs {
        match expr {
            Expr::String(text) if !segments.contains(&id) => {
                check_literal(context, findings, id, tree.str(*text), &templates);
            }
            Expr::Interpolation(list) => check_interpolation(context, findings, id, tree.list(*list)),
            _ => {}
        }
    }
}

/// Returns the texts of templates, which have variables of their own.
fn templates(context: &Context<'_>) -> FxHashSet<ExprId> {
    let tree = context.tree;
    let is_template = |functor| matches!(context.word(functor), Some("inline_template" | "inline_epp"));
    let calls = tree.calls.values().filter(|call| is_template(call.functor));
    calls.flat_map(|call| tree.list(call.arguments).iter().copied()).collect()
}

/// Whether a text has the form of an interpolation: `${name}`.
fn has_interpolation(text: &str) -> bool {
    text.match_indices("${").any(|(at, _)| {
        let inner = text[at + 2..].split('}').next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == ':';
        inner.starts_with(|c: char| c.is_ascii_lowercase() || c == ':')
            && inner.chars().all(is_name)
            && text.len() > at + 2 + inner.len()
    })
}

fn check_literal(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    id: ExprId,
    value: &str,
    templates: &FxHashSet<ExprId>,
) {
    let source = context.source(id);
    let range = context.range(id);
    let is_quoted = source.starts_with(['"', '\'']);
    if source.starts_with('"') && !source.contains(['\\', '\'', '\n', '\t']) {
        let help = "write it in single quotes: nothing in it is replaced";
        findings.add(Code::W0310, range, "double-quoted string without variables", help);
    }
    if source.starts_with('\'') && has_interpolation(value) && !templates.contains(&id) {
        let help = "write the string in double quotes if the variable is meant, which single quotes do not replace";
        findings.add(Code::W0339, range, "variable in a single-quoted string", help);
    }
    if is_quoted && matches!(value, "true" | "false") {
        let message = format!("quoted boolean `{source}`");
        findings.add(Code::W0314, range, message, format!("write `{value}`: every string counts as true"));
    }
    if is_quoted && value != "puppet:///" {
        check_url(findings, range, value);
    }
}

/// Checks a URL that is written at least up to the end of the first part of its path.
fn check_url(findings: &mut Findings<'_>, range: TextRange, url: &str) {
    if let Some(rest) = url.strip_prefix("puppet://modules/") {
        let help = format!("write `puppet:///modules/{rest}`: a host would be between the second and the third slash");
        findings.add(Code::W0320, range, "`puppet://` URL whose host is `modules`", help);
    } else if let Some(path) = url.strip_prefix("puppet:///").filter(|path| !path.starts_with("modules/")) {
        let help = format!("write `puppet:///modules/{path}`, or name a mount point of the file server");
        findings.add(Code::W0320, range, "`puppet:///` URL without `modules/`", help);
    }
}

fn check_interpolation(context: &Context<'_>, findings: &mut Findings<'_>, id: ExprId, segments: &[ExprId]) {
    let tree = context.tree;
    if let [only] = segments
        && let Expr::Text(inner) = tree.exprs[*only]
        && matches!(tree.exprs[inner], Expr::Variable(_) | Expr::Access(..))
        && context.source(id).starts_with('"')
    {
        let help = "write the variable without quotes; `String($x)` makes a string of any value";
        findings.add(Code::W0311, context.range(id), "string of only a variable", help);
    }
    if let Some(Expr::String(start)) = segments.first().map(|first| &tree.exprs[*first])
        && let start = tree.str(*start)
        && (start.starts_with("puppet://modules/")
            || start.strip_prefix("puppet:///").is_some_and(|path| path.contains('/')))
    {
        check_url(findings, context.range(id), context.source(id).trim_matches('"'));
    }
    for segment in segments {
        let Expr::Text(inner) = tree.exprs[*segment] else { continue };
        let (Expr::Variable(name), source) = (&tree.exprs[inner], context.source(*segment)) else { continue };
        if !source.starts_with('$') || source.starts_with("${") {
            continue;
        }
        let name = tree.str(*name);
        let range = context.range(*segment);
        let help = format!("write `${{{name}}}`");
        findings.add(Code::W0312, range, format!("variable `${name}` without braces in a string"), help);
        let after = context.text.get(range.end as usize..).unwrap_or("");
        if after.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')) {
            let help = format!("the name of a variable ends at the dash: write `${{{name}}}-…`");
            findings.add(Code::W0313, range, format!("dash after the variable `${name}` in a string"), help);
        }
    }
}
