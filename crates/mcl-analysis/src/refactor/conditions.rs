//! Conditional entries of a resource and `if` statements around resources, one in place of the other.

use mcl_parser::ast::{Entry, EntryKind, Expr, IfStmt, Resource, Stmt};

use crate::edits::{TextEdit, apply_edits};
use crate::refactor::code::Code;
use crate::refactor::refactoring::{Refactoring, RefactoringKind};

/// Writes the resource whose conditional entry is at the cursor twice: with the entries of that condition, and without them.
pub(super) fn into_statement(code: &Code<'_>) -> Option<Refactoring> {
    let (span, resource, condition) = code.tree.stmts.iter().find_map(|(id, stmt)| {
        let Stmt::Resource(resource) = stmt else { return None };
        let entry = resource.entries.iter().find(|entry| code.is_inside(entry.span(&code.tree)))?;
        Some((code.tree.stmt_span(id), resource, code.slice(code.tree.expr_span(entry.condition.expand()?))))
    })?;
    if resource.collect || code.is_bound_to_layout(span) {
        return None;
    }
    let conditional = resource
        .entries
        .iter()
        .filter(|entry| entry.condition.expand().is_some_and(|of| code.slice(code.tree.expr_span(of)) == condition));
    let text = code.slice(span);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for entry in conditional {
        let Some(condition) = entry.condition.expand().map(|of| code.tree.expr_span(of)) else { continue };
        let [start, value, end] =
            [condition.start, value_start(code, entry), entry.range.end].map(|at| at - span.start);
        with.push(TextEdit { start, end: value, text: String::new() });
        let start = entry.range.start - span.start;
        let kept = text[..start as usize].trim_end().len() as u32;
        let comma = u32::from(text[end as usize..].starts_with(',') && !text[..end as usize].ends_with(','));
        without.push(TextEdit { start: kept, end: end + comma, text: String::new() });
    }
    let (with, without) = (apply_edits(text, &with), apply_edits(text, &without));
    let text = format!("if {condition} {{\n{with}\n}} else {{\n{without}\n}}");
    let edits = code.laid_out(vec![TextEdit { start: span.start, end: span.end, text }])?;
    Some(code.change("use an `if` statement".to_owned(), RefactoringKind::Rewrite, edits))
}

/// Writes the two branches of the `if` statement at the cursor, which have the same resource, as one resource.
pub(super) fn into_entries(code: &Code<'_>) -> Option<Refactoring> {
    let (span, branches) = code.tree.stmts.iter().find_map(|(id, stmt)| match stmt {
        Stmt::If(branches) => {
            let span = code.tree.stmt_span(id);
            let end = code.tree.expr_span(branches.condition).end;
            let is_at_head = span.start <= code.selection.start && code.selection.end <= end;
            is_at_head.then_some((span, &**branches))
        }
        _ => None,
    })?;
    if code.is_bound_to_layout(span) {
        return None;
    }
    let [then, otherwise] = resources(code, branches)?;
    let name = |of: &Resource| (of.kind, code.slice(code.tree.expr_span(of.name)));
    let is_simple = |of: &Resource| !of.collect && of.entries.iter().all(|entry| entry.condition.is_none());
    if name(then) != name(otherwise) || !is_simple(then) || !is_simple(otherwise) {
        return None;
    }
    let condition = code.slice(code.tree.expr_span(branches.condition));
    let mut entries = Vec::new();
    for entry in &then.entries {
        let counterpart = otherwise.entries.iter().find(|other| is_same_entry(code, entry, other));
        entries.push(match (&entry.kind, counterpart.map(|other| &other.kind)) {
            (EntryKind::Field { value: a, .. }, Some(EntryKind::Field { value: b, .. })) => {
                let [a, b] = [a, b].map(|value| code.slice(code.tree.expr_span(*value)));
                let value = if a == b { a.to_owned() } else { format!("if {condition} {{ {a} }} else {{ {b} }}") };
                format!("{} => {value}", code.slice(entry.name_span(&code.tree)))
            }
            (_, Some(_)) => written(code, entry).to_owned(),
            (_, None) => with_condition(code, entry, condition),
        });
    }
    let is_variable = matches!(code.tree.expr(branches.condition), Expr::Var(_));
    let operand = if is_variable { condition.to_owned() } else { format!("({condition})") };
    for entry in &otherwise.entries {
        if !then.entries.iter().any(|other| is_same_entry(code, entry, other)) {
            entries.push(with_condition(code, entry, &format!("not {operand}")));
        }
    }
    let head = format!("{} {}", code.slice(then.kind_span(&code.tree)), name(then).1);
    let text = format!("{head} {{\n{}}}", entries.iter().map(|entry| format!("{entry},\n")).collect::<String>());
    let edits = code.laid_out(vec![TextEdit { start: span.start, end: span.end, text }])?;
    Some(code.change("use conditional entries".to_owned(), RefactoringKind::Rewrite, edits))
}

/// Returns the one resource of each branch.
fn resources<'c>(code: &'c Code<'_>, branches: &'c IfStmt) -> Option<[&'c Resource; 2]> {
    let only = |block: &[mcl_parser::ast::StmtId]| match block {
        [stmt] => match code.tree.stmt(*stmt) {
            Stmt::Resource(resource) => Some(&**resource),
            _ => None,
        },
        _ => None,
    };
    Some([only(&branches.then)?, only(branches.otherwise.as_ref()?)?])
}

/// Whether two entries are the same, but for the value of a field.
fn is_same_entry(code: &Code<'_>, a: &Entry, b: &Entry) -> bool {
    match (&a.kind, &b.kind) {
        (EntryKind::Field { name: a, .. }, EntryKind::Field { name: b, .. }) => a == b,
        _ => written(code, a) == written(code, b),
    }
}

/// Returns where the value of an entry starts, after its condition.
fn value_start(code: &Code<'_>, entry: &Entry) -> u32 {
    match &entry.kind {
        EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => code.tree.expr_span(*value).start,
        EntryKind::Edge { half, .. } => half.span.start,
    }
}

/// Returns an entry that has no condition, with one, and without its comma.
fn with_condition(code: &Code<'_>, entry: &Entry, condition: &str) -> String {
    let text = written(code, entry);
    let (head, value) = text.split_at((value_start(code, entry) - entry.range.start) as usize);
    format!("{head}{condition} ?: {value}")
}

/// Returns an entry without its comma.
fn written<'c>(code: &'c Code<'_>, entry: &Entry) -> &'c str {
    let text = code.slice(entry.span(&code.tree));
    text.strip_suffix(',').unwrap_or(text).trim_end()
}
