//! A class of some statements, and a file of a class.

use std::collections::BTreeSet;

use mcl_diagnostics::Span;
use mcl_parser::ast::{Stmt, StmtId};
use mcl_types::ScopeId;

use crate::edits::TextEdit;
use crate::fixes::removal;
use crate::imports;
use crate::index::{DefinedKind, DefinedName, Occurrence, Symbol};
use crate::parses::parses;
use crate::refactor::code::Code;
use crate::refactor::refactoring::{Refactoring, RefactoringKind};
use crate::types::type_text;

/// Makes a class of the selected statements, with a parameter for each variable that they need, and includes it.
pub(super) fn extract(code: &Code<'_>) -> Option<Refactoring> {
    let selected = code.selected_statements()?;
    let is_movable = |stmt: &Stmt| !matches!(stmt, Stmt::Import(_) | Stmt::Class(_) | Stmt::Error { .. });
    // A class of nothing but definitions would have no effect.
    let has_effect = |stmt: &Stmt| !matches!(stmt, Stmt::Bind { .. } | Stmt::Func { .. });
    let mut stmts = selected.iter().map(|stmt| code.tree.stmt(*stmt));
    if !stmts.clone().all(is_movable) || !stmts.any(has_effect) {
        return None;
    }
    let span = Span::new(code.file, code.selection.start, code.selection.end);
    if code.is_bound_to_layout(span) || is_used_outside(code, span) {
        return None;
    }
    let top = top_level_scope(code)?;
    let mut params: Vec<&str> = Vec::new();
    for (name, defined) in foreign_names(code, span)? {
        match defined.kind {
            // A member of what an alias stands for needs only the alias.
            _ if is_member(code, name) => {}
            DefinedKind::Bind(def) | DefinedKind::Parameter(def) => {
                // A function is not passed to a class: its uses may be at several types.
                if type_text(code.program, code.program.typed().def(def)).is_none_or(|ty| ty.starts_with("func")) {
                    return None;
                }
                if !params.contains(&&*defined.name) {
                    params.push(&defined.name);
                }
            }
            DefinedKind::Function(_) | DefinedKind::Class(_) | DefinedKind::Alias(_) if defined.scope == top => {}
            DefinedKind::Function(_) | DefinedKind::Class(_) | DefinedKind::Alias(_) => return None,
        }
    }
    let class = free_class_name(code, "extracted");
    let list = if params.is_empty() {
        String::new()
    } else {
        format!("({})", params.iter().map(|name| format!("${name}")).collect::<Vec<_>>().join(", "))
    };
    let before = code.top_level_statement(span.start)?.start;
    let definition = format!("class {class}{list} {{\n{}\n}}\n", code.slice(span));
    let usage = format!("include {class}{list}");
    // At the top level both are in one place.
    let edits = if before == span.start {
        vec![TextEdit { start: span.start, end: span.end, text: format!("{definition}{usage}") }]
    } else {
        vec![
            TextEdit { start: before, end: before, text: definition },
            TextEdit { start: span.start, end: span.end, text: usage },
        ]
    };
    let edits = code.laid_out(edits)?;
    Some(code.change(format!("extract into the class `{class}`"), RefactoringKind::Extract, edits))
}

/// Moves the class whose name is at the cursor to a file of its name beside this one.
pub(super) fn move_to_file(code: &Code<'_>) -> Option<Refactoring> {
    let (stmt, name) = code.tree.body.iter().find_map(|id| match code.tree.stmt(*id) {
        Stmt::Class(class) if code.is_inside(class.name_span) => Some((*id, code.tree.name(class.name).to_string())),
        _ => None,
    })?;
    let span = code.tree.stmt_span(stmt);
    let file = format!("{name}.mcl");
    let new_path = code.path.with_file_name(&file);
    let exists = code.analysis.source(&new_path).is_some() || new_path.exists();
    // The only statement of its file would leave an empty one.
    if exists || name.contains(':') || !code.path.is_absolute() || code.tree.body.len() < 2 {
        return None;
    }
    // A class `name:inner` is a part of it.
    let is_part = |stmt: &Stmt| match stmt {
        Stmt::Class(class) => code.tree.name(class.name).strip_prefix(&name).is_some_and(|rest| rest.starts_with(':')),
        _ => false,
    };
    if code.tree.stmts.values().any(is_part) {
        return None;
    }
    let index = code.program.index();
    let symbol = code.names_in(span).find(|of| of.is_definition).map(|of| of.symbol.clone())?;
    // Another file finds it by the alias of this one, which does not have what it imports.
    if index.occurrences(&symbol).any(|(of, _)| of != code.file) {
        return None;
    }
    let mut needed: BTreeSet<u32> = BTreeSet::new();
    for (name, defined) in foreign_names(code, span)? {
        match defined.kind {
            _ if is_member(code, name) => {}
            DefinedKind::Alias(_) => {
                needed.insert(import_of(code, defined.span)?.start);
            }
            _ => return None,
        }
    }
    // What the imports with `as *` give is not visible in their statements.
    let has_star = |id: &StmtId| matches!(code.tree.stmt(*id), Stmt::Import(import) if is_star(code, import.alias));
    if code.tree.body.iter().any(has_star) {
        return None;
    }
    let mut new = String::new();
    for start in needed {
        let import = code.top_level_statement(start)?;
        new += &format!("{}\n", code.slice(import));
    }
    if !new.is_empty() {
        new.push('\n');
    }
    let moved = removal(&code.text, span.start..span.end);
    let comment_and_class = code.text.get(moved.start as usize..moved.end as usize)?;
    new += &format!("{}\n", comment_and_class.trim());
    let (at, text) = imports::insertion(&code.text, &file);
    let import =
        TextEdit { start: at, end: at, text: text.replace(&format!("\"{file}\""), &format!("\"{file}\" as *")) };
    let mut edits = vec![import, moved];
    edits.sort();
    if !parses(&new) || edits[0].end > edits[1].start {
        return None;
    }
    let mut found = code.change(format!("move the class to `{file}`"), RefactoringKind::Move, edits);
    found.new_file = Some((new_path, new));
    Some(found)
}

fn is_star(code: &Code<'_>, alias: Option<(mcl_parser::ast::Name, Span)>) -> bool {
    alias.is_some_and(|(name, _)| code.tree.name(name) == "*")
}

/// Returns the import statement of the top level that defines an alias.
fn import_of(code: &Code<'_>, alias: Span) -> Option<Span> {
    code.tree.body.iter().find_map(|id| {
        let span = code.tree.stmt_span(*id);
        let is_it =
            matches!(code.tree.stmt(*id), Stmt::Import(_)) && span.start <= alias.start && alias.end <= span.end;
        is_it.then_some(span)
    })
}

/// Whether a name comes after a dot.
fn is_member(code: &Code<'_>, name: &Occurrence) -> bool {
    code.text[..name.range.start as usize].trim_end().ends_with('.')
}

fn top_level_scope(code: &Code<'_>) -> Option<ScopeId> {
    let scoped = code.program.scoped();
    scoped
        .modules
        .iter()
        .find(|(_, module)| scoped.units[module.unit].file == code.file)
        .map(|(_, module)| module.scope)
}

/// Returns the names in a span whose definitions are elsewhere; `None` if one is not known.
fn foreign_names<'c>(code: &'c Code<'_>, span: Span) -> Option<Vec<(&'c Occurrence, &'c DefinedName)>> {
    let index = code.program.index();
    let mut found = Vec::new();
    for name in code.names_in(span) {
        if let Symbol::Defined(file, start) = name.symbol
            && !(file == span.file && (span.start..span.end).contains(&start))
        {
            found.push((name, index.defined(&name.symbol)?));
        }
    }
    Some(found)
}

/// Whether what a span defines is used elsewhere.
fn is_used_outside(code: &Code<'_>, span: Span) -> bool {
    let index = code.program.index();
    let defined: BTreeSet<&Symbol> =
        code.names_in(span).filter(|name| name.is_definition).map(|name| &name.symbol).collect();
    let is_outside = |file, name: &Occurrence| file != span.file || !(span.start..span.end).contains(&name.range.start);
    // Of `o.i.x`, the index knows `o` and `x`.
    let is_in_the_middle = |name: &str| {
        let part = format!(".{name}.");
        [&code.text[..span.start as usize], &code.text[span.end as usize..]].iter().any(|text| text.contains(&part))
    };
    defined.into_iter().any(|symbol| {
        let is_alias = index.defined(symbol).filter(|of| matches!(of.kind, DefinedKind::Alias(_)));
        matches!(symbol, Symbol::Defined(..)) && index.occurrences(symbol).any(|(file, name)| is_outside(file, name))
            || is_alias.is_some_and(|of| is_in_the_middle(&of.name))
    })
}

/// Returns a name that no class of the file has: this one, or one with a number.
fn free_class_name(code: &Code<'_>, base: &str) -> String {
    let mut names = std::iter::once(base.to_owned()).chain((2..).map(|number| format!("{base}{number}")));
    names.find(|name| !code.text.contains(name.as_str())).unwrap_or_else(|| base.to_owned())
}
