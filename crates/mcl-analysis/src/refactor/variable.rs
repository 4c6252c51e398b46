//! Extracting an expression into a variable, and inlining a variable.

use std::collections::BTreeSet;

use mcl_diagnostics::Span;
use mcl_parser::ast::{Ast, EntryKind, Expr, ExprId, Stmt, StmtId};
use mcl_types::{expressions, subexpressions};

use crate::bindings::{free_name, innermost_statement, last_word};
use crate::edits::{TextEdit, apply_edits};
use crate::fixes::removal;
use crate::index::{DefinedKind, Occurrence, Symbol};
use crate::parses::parses;
use crate::refactor::code::Code;
use crate::refactor::refactoring::{Refactoring, RefactoringKind};
use crate::scopes::{scope_at, visible};

/// Binds the selected expression to a variable before the statement.
pub(super) fn extract(code: &Code<'_>) -> Option<Refactoring> {
    let tree = &code.tree;
    let is_selected = |span: Span| (span.start..span.end) == code.selection;
    let (expr, _) = tree.exprs.iter().find(|(id, _)| is_selected(tree.expr_span(*id)))?;
    if matches!(tree.expr(expr), Expr::Error | Expr::Var(_)) {
        return None;
    }
    let span = tree.expr_span(expr);
    let statement = innermost_statement(tree, span)?;
    if !is_always_evaluated(tree, statement, expr) {
        return None;
    }
    // A value on its own needs no parentheses.
    let value = match tree.expr(expr) {
        Expr::Paren(inner) => code.slice(tree.expr_span(*inner)),
        _ => code.slice(span),
    };
    let base = match tree.stmt(statement) {
        Stmt::Bind { value, .. } if *value == expr => return None,
        Stmt::Resource(resource) => {
            let entry = resource.entries.iter().find(|entry| match &entry.kind {
                EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } => *value == expr,
                EntryKind::Edge { .. } => false,
            });
            match entry.map(|entry| &entry.kind) {
                Some(EntryKind::Field { name, .. }) => tree.name(*name).to_string(),
                // `Meta => struct{…}` is divided into its fields.
                Some(EntryKind::Meta { property, .. }) if tree.name(*property) == "meta" => return None,
                // A variable whose type is known only later would be taken for a list of names.
                _ if resource.name == expr && !matches!(tree.expr(expr), Expr::Str(_)) => return None,
                _ if resource.name == expr => "name".to_owned(),
                _ => last_word(value),
            }
        }
        _ => last_word(value),
    };
    let name = free_name(&code.text, &base);
    let start = tree.stmt_span(statement).start;
    let edits = code.laid_out(vec![
        TextEdit { start, end: start, text: format!("${name} = {value}\n") },
        TextEdit { start: span.start, end: span.end, text: format!("${name}") },
    ])?;
    Some(code.change(format!("extract into the variable `${name}`"), RefactoringKind::Extract, edits))
}

/// Whether an expression of a statement is evaluated whenever the statement is: not only in a branch, or if another value fails.
fn is_always_evaluated(tree: &Ast, statement: StmtId, target: ExprId) -> bool {
    let mut work = Vec::new();
    expressions(tree.stmt(statement), |expr| work.push((expr, false)));
    while let Some((expr, is_guarded)) = work.pop() {
        if expr == target {
            return !is_guarded;
        }
        match tree.expr(expr) {
            Expr::If { condition, then, otherwise } => {
                work.extend([(*condition, is_guarded), (*then, true), (*otherwise, true)]);
            }
            Expr::Except { value, fallback } => work.extend([(*value, true), (*fallback, true)]),
            Expr::FieldOr { base, default, .. } => work.extend([(*base, true), (*default, true)]),
            other => subexpressions(tree, other, |part| work.push((part, is_guarded))),
        }
    }
    false
}

/// A variable with more uses is not inlined: for each it has to be seen what the names of the value mean there.
const MAX_USES: usize = 100;

/// Replaces the variable at the cursor by its value wherever it is used, and removes its binding.
pub(super) fn inline(code: &Code<'_>) -> Option<Refactoring> {
    let index = code.program.index();
    let symbol = &index.at(code.file, code.selection.start)?.symbol;
    let defined = index.defined(symbol).filter(|defined| defined.span.file == code.file)?;
    let DefinedKind::Bind(_) = defined.kind else { return None };
    let (statement, value) = code.tree.stmts.iter().find_map(|(id, stmt)| match stmt {
        // A written type can be what gives the value its type.
        Stmt::Bind { ty, value, .. } if ty.is_none() => {
            let span = code.tree.stmt_span(id);
            (span.start <= defined.span.start && defined.span.end < code.tree.expr_span(*value).start)
                .then_some((span, *value))
                .filter(|(span, _)| defined.span.end <= span.end)
        }
        _ => None,
    })?;
    if code.is_bound_to_layout(code.tree.expr_span(value)) {
        return None;
    }
    if index.occurrences(symbol).nth(MAX_USES + 1).is_some() {
        return None;
    }
    let mut edits = vec![removal(&code.text, statement.start..statement.end)];
    let whole = whole_values(&code.tree);
    for (file, name) in index.occurrences(symbol).filter(|(_, name)| !name.is_definition) {
        if file != code.file || !means_the_same(code, defined.scope, code.tree.expr_span(value), name) {
            return None;
        }
        edits.push(usage(code, value, name, &whole)?);
    }
    if edits.len() == 1 {
        return None; // It is unused.
    }
    edits.sort();
    edits.dedup();
    let name = &defined.name;
    parses(&apply_edits(&code.text, &edits))
        .then(|| code.change(format!("inline the variable `${name}`"), RefactoringKind::Inline, edits))
}

/// Returns the value in place of a use of the variable.
fn usage(code: &Code<'_>, value: ExprId, name: &Occurrence, whole: &BTreeSet<(u32, u32)>) -> Option<TextEdit> {
    let text = code.slice(code.tree.expr_span(value));
    let (start, end) = (name.range.start, name.range.end);
    let before = code.text.get(..start as usize)?;
    let after = code.text.get(end as usize..)?;
    if !code.text[start as usize..].starts_with('$') {
        // A reference in a string; or a member of something, which is not a variable of this file alone.
        let (before, after) = (before.strip_suffix("${")?, after.strip_prefix('}')?);
        let text = match code.tree.expr(value) {
            Expr::Str(_) => {
                let inner = text.strip_prefix('"')?.strip_suffix('"')?;
                // What follows a dollar sign must not become a reference.
                if before.ends_with('$') || inner.ends_with('$') && after.starts_with('{') {
                    return None;
                }
                inner.to_owned()
            }
            Expr::Var(_) => format!("${{{}}}", text.strip_prefix('$')?),
            _ => return None,
        };
        return Some(TextEdit { start: start - 2, end: end + 1, text });
    }
    // The call of a function in a variable has no notation for a function as it is written.
    if after.trim_start().starts_with('(') {
        return None;
    }
    let is_open = match code.tree.expr(value) {
        Expr::Func(_) if !whole.contains(&(start, end)) => return None,
        Expr::Binary { .. }
        | Expr::Unary { .. }
        | Expr::If { .. }
        | Expr::FieldOr { .. }
        | Expr::Except { .. }
        | Expr::Func(_) => true,
        _ => text.starts_with('-'),
    };
    let text = if is_open && !whole.contains(&(start, end)) { format!("({text})") } else { text.to_owned() };
    Some(TextEdit { start, end, text })
}

/// Returns the places of expressions that other operators do not touch, so that any expression can stand there.
fn whole_values(tree: &Ast) -> BTreeSet<(u32, u32)> {
    let mut whole = BTreeSet::new();
    let mut add = |expr: ExprId| {
        let span = tree.expr_span(expr);
        whole.insert((span.start, span.end));
    };
    for stmt in tree.stmts.values() {
        match stmt {
            Stmt::Bind { value, .. } => add(*value),
            Stmt::If(branches) => add(branches.condition),
            Stmt::Panic { args } => args.iter().copied().for_each(&mut add),
            Stmt::Include(include) => include.args.iter().flatten().copied().for_each(&mut add),
            Stmt::Resource(resource) => {
                for entry in &resource.entries {
                    if let EntryKind::Field { value, .. } | EntryKind::Meta { value, .. } = &entry.kind {
                        add(*value);
                    }
                }
            }
            _ => {}
        }
    }
    for expr in tree.exprs.values() {
        match expr {
            Expr::List(_)
            | Expr::Map(_)
            | Expr::Struct(_)
            | Expr::Call { .. }
            | Expr::CallVar { .. }
            | Expr::Paren(_) => subexpressions(tree, expr, &mut add),
            Expr::Index { index, .. } => add(*index),
            _ => {}
        }
    }
    whole
}

/// Whether the names of a value mean at the place of a name what they mean in the scope where the value is written.
fn means_the_same(code: &Code<'_>, scope: mcl_types::ScopeId, value: Span, place: &Occurrence) -> bool {
    let index = code.program.index();
    let Some(there) = scope_at(code.program, code.file, place.range.start) else { return false };
    if there == scope {
        return true;
    }
    let seen = visible(code.program, there);
    code.names_in(value).all(|name| {
        let written = code.text[name.range.start as usize..name.range.end as usize].trim_start_matches('$');
        let is_member = code.text[..name.range.start as usize].ends_with('.');
        if is_member || matches!(name.symbol, Symbol::StructField) {
            return true;
        }
        let is_variable = match &name.symbol {
            symbol @ Symbol::Defined(..) => match index.defined(symbol).map(|defined| defined.kind) {
                Some(DefinedKind::Bind(_) | DefinedKind::Parameter(_)) => true,
                Some(_) => false,
                None => return false,
            },
            Symbol::Variable(_) => true,
            _ => false,
        };
        let same_namespace =
            |kind: DefinedKind| matches!(kind, DefinedKind::Bind(_) | DefinedKind::Parameter(_)) == is_variable;
        let found = seen.iter().find(|seen| *seen.defined.name == *written && same_namespace(seen.defined.kind));
        match (&name.symbol, found) {
            (Symbol::Defined(file, start), Some(found)) => {
                (found.defined.span.file, found.defined.span.start) == (*file, *start)
            }
            // What is defined inside of the value: a parameter of a function literal.
            (Symbol::Defined(file, start), None) => *file == value.file && (value.start..value.end).contains(start),
            (_, found) => found.is_none(),
        }
    })
}
