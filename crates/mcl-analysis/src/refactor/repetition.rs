//! A loop in place of resources that differ in some values.

use std::collections::BTreeSet;

use mcl_lexer::{TokenIdx, TokenKind};
use mcl_parser::ast::{Stmt, StmtId};

use crate::bindings::free_name;
use crate::edits::{TextEdit, apply_edits};
use crate::refactor::code::Code;
use crate::refactor::refactoring::{Refactoring, RefactoringKind};

/// Writes the selected resources, which differ only in literals, as one in a loop.
pub(super) fn into_loop(code: &Code<'_>) -> Option<Refactoring> {
    let selected = code.selected_statements()?;
    let resource = |stmt: &StmtId| match code.tree.stmt(*stmt) {
        Stmt::Resource(resource) if !resource.collect => Some(resource),
        _ => None,
    };
    if selected.len() < 2 || !selected.iter().all(|stmt| resource(stmt).is_some()) {
        return None;
    }
    let spans: Vec<_> = selected.iter().map(|stmt| code.tree.stmt_span(*stmt)).collect();
    let (first, last) = (*spans.first()?, *spans.last()?);
    if code.is_bound_to_layout(first.to(last)) {
        return None;
    }
    let rows: Vec<Vec<TokenIdx>> = spans.iter().map(|span| code.tokens_in(*span).collect()).collect();
    let columns = columns(code, &rows)?;
    let name_start = code.tree.expr_span(resource(selected.first()?)?.name).start;
    let name_column = rows[0].iter().position(|token| code.tokens.start(*token) == name_start)?;
    // Values that are the same in every resource are one variable.
    let text = |token: TokenIdx| code.tokens.text(&code.text, token);
    let values = |column: usize| -> Vec<&str> { rows.iter().map(|row| text(row[column])).collect() };
    let mut variables: Vec<(String, Vec<&str>)> = Vec::new();
    let mut uses: Vec<(usize, usize)> = Vec::new();
    let mut taken = BTreeSet::new();
    for column in columns {
        let values = values(column);
        let known = variables.iter().position(|(_, of)| *of == values);
        let variable = known.unwrap_or_else(|| {
            let base = if column == name_column { "name".to_owned() } else { field_name(code, &rows[0], column) };
            let names = (1..).map(|n| if n == 1 { base.clone() } else { format!("{base}{n}") });
            let name = names.map(|name| free_name(&code.text, &name)).find(|name| !taken.contains(name));
            let name = name.unwrap_or(base);
            taken.insert(name.clone());
            variables.push((name, values));
            variables.len() - 1
        });
        uses.push((column, variable));
    }
    let index = free_name(&code.text, "i");
    let (item, items) = match &variables[..] {
        [(name, values)] => (name.clone(), values.join(", ")),
        several => {
            let row = |row: usize| {
                let fields: Vec<String> = several.iter().map(|(name, of)| format!("{name} => {}", of[row])).collect();
                format!("struct{{{}}}", fields.join(", "))
            };
            let rows: Vec<String> = (0..spans.len()).map(row).collect();
            (free_name(&code.text, "item"), rows.join(", "))
        }
    };
    let is_one = variables.len() == 1;
    let mut binding = String::new();
    let mut edit = |column: usize, (name, _): &(String, Vec<&str>)| {
        let token = rows[0][column];
        let (start, end) = (code.tokens.start(token) - first.start, code.tokens.end(token) - first.start);
        let text = match (is_one, column == name_column) {
            (true, false) => format!("${item}"),
            (false, false) => format!("${item}->{name}"),
            // In a loop, a variable alone would be taken for a list of names; and a string has no fields.
            (true, true) => format!("\"${{{item}}}\""),
            (false, true) => {
                binding = format!("${name} = ${item}->{name}\n");
                format!("\"${{{name}}}\"")
            }
        };
        TextEdit { start, end, text }
    };
    let body: Vec<TextEdit> = uses.iter().map(|(column, variable)| edit(*column, &variables[*variable])).collect();
    let body = apply_edits(code.slice(first), &body);
    let text = format!("for ${index}, ${item} in [{items}] {{\n{binding}{body}\n}}");
    let edits = code.laid_out(vec![TextEdit { start: first.start, end: last.end, text }])?;
    Some(code.change("use a loop".to_owned(), RefactoringKind::Rewrite, edits))
}

/// Returns the tokens in which the statements differ, if these are literals of one kind each.
fn columns(code: &Code<'_>, rows: &[Vec<TokenIdx>]) -> Option<Vec<usize>> {
    let (first, others) = rows.split_first()?;
    let mut columns = Vec::new();
    for (column, token) in first.iter().enumerate() {
        let kind = code.tokens[*token];
        let text = code.tokens.text(&code.text, *token);
        let mut differs = false;
        for row in others {
            let other = *row.get(column).filter(|_| row.len() == first.len())?;
            if code.tokens[other] != kind {
                return None;
            }
            differs |= code.tokens.text(&code.text, other) != text;
        }
        if differs {
            if !matches!(kind, TokenKind::String | TokenKind::Integer | TokenKind::Float) {
                return None;
            }
            columns.push(column);
        }
    }
    (!columns.is_empty()).then_some(columns)
}

/// Returns a name for the values of a token: that of the field.
fn field_name(code: &Code<'_>, row: &[TokenIdx], column: usize) -> String {
    let kind = |column: usize| row.get(column).map(|token| code.tokens[*token]);
    match column.checked_sub(2) {
        Some(field) if kind(field + 1) == Some(TokenKind::Rocket) && kind(field) == Some(TokenKind::Identifier) => {
            code.tokens.text(&code.text, row[field]).to_owned()
        }
        _ => "value".to_owned(),
    }
}
