//! What a file contains, as a tree (spec 11 §3.6).

use std::ops::Range;
use std::path::Path;

use mcl_diagnostics::{FileId, Span};
use mcl_parser::ast::{Ast, Block, Stmt, StmtId};

use crate::analysis::{Analysis, Location, location};
use crate::comments;
use crate::index::{DefinedKind, Symbol};
use crate::program::Program;
use crate::types::type_text;

/// The kinds of what a file contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum OutlineKind {
    Module,
    Variable,
    Class,
    Function,
    Resource,
}

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineItem {
    /// The name, as it is written for resources.
    pub name: String,
    /// The type, if it is known.
    pub detail: Option<String>,
    /// What it is.
    pub kind: OutlineKind,
    /// The comment above and the whole statement.
    pub range: Range<u32>,
    /// The name.
    pub name_range: Range<u32>,
    /// What it contains.
    pub children: Vec<OutlineItem>,
}

impl Analysis {
    /// Returns what a file contains. The contents of loops and branches are one level up.
    #[must_use]
    pub fn outline(&self, path: &Path) -> Vec<OutlineItem> {
        let Some((program, file)) = self.program_of(path) else { return Vec::new() };
        let Some(ast) = program.ast(file) else { return Vec::new() };
        items(program, file, ast, &ast.body)
    }

    /// Returns the classes, functions, top-level bindings and constant resource names of all programs that match a query:
    /// the name, the kind, where it is, and what contains it. At most `limit`.
    #[must_use]
    pub fn workspace_symbols(&self, query: &str, limit: usize) -> Vec<(OutlineItem, Location, String)> {
        let mut found = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for program in self.programs() {
            for (file, source) in &program.loaded().files.files {
                let (Some(path), Some(ast)) = (program.loaded().paths.get(file), program.ast(file)) else { continue };
                if !seen.insert(path.to_owned()) {
                    continue;
                }
                let mut work: Vec<(OutlineItem, String, bool)> = Vec::new();
                let top = items(program, file, ast, &ast.body);
                work.extend(top.into_iter().rev().map(|item| (item, source.name.to_string(), true)));
                while let Some((mut item, container, is_top)) = work.pop() {
                    let children = std::mem::take(&mut item.children);
                    work.extend(children.into_iter().rev().map(|child| (child, item.name.clone(), false)));
                    let is_offered = match item.kind {
                        OutlineKind::Class | OutlineKind::Function => true,
                        OutlineKind::Variable => is_top,
                        OutlineKind::Resource => !item.name.contains("${") && item.name.contains('"'),
                        OutlineKind::Module => false,
                    };
                    if is_offered && matches(&item.name, query) {
                        let span = Span::new(file, item.name_range.start, item.name_range.end);
                        found.extend(location(program, span).map(|location| (item, location, container)));
                    }
                }
            }
        }
        found.sort_by(|a, b| (rank(&a.0.name, query), &a.0.name, &a.1).cmp(&(rank(&b.0.name, query), &b.0.name, &b.1)));
        found.truncate(limit);
        found
    }
}

/// Whether the letters of a query occur in a name, in their order.
pub(crate) fn matches(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
}

/// Sorts what starts with the query first.
fn rank(name: &str, query: &str) -> bool {
    !name.to_lowercase().starts_with(&query.to_lowercase())
}

fn items(program: &Program, file: FileId, ast: &Ast, body: &Block) -> Vec<OutlineItem> {
    let mut found = Vec::new();
    // Trees have a bounded depth; loops and branches are flattened.
    let mut work: Vec<StmtId> = body.iter().rev().copied().collect();
    while let Some(id) = work.pop() {
        match ast.stmt(id) {
            Stmt::If(branches) => {
                let inner = branches.then.iter().chain(branches.otherwise.iter().flatten()).rev();
                work.extend(inner.copied());
            }
            Stmt::For(iteration) | Stmt::ForKv(iteration) => work.extend(iteration.body.iter().rev().copied()),
            _ => found.extend(item(program, file, ast, id)),
        }
    }
    // Classes with colons in their names have moved into others.
    found.sort_by_key(|item| item.range.start);
    found
}

fn item(program: &Program, file: FileId, ast: &Ast, id: StmtId) -> Option<OutlineItem> {
    let text = program.file(file).map_or("", |file| &file.text);
    let written = |span: Span| text.get(span.start as usize..span.end as usize).unwrap_or("").to_owned();
    let (kind, name, span, children) = match ast.stmt(id) {
        Stmt::Import(import) => {
            let name = match import.alias {
                Some((alias, _)) => ast.name(alias).to_string(),
                None => import.module.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned(),
            };
            (OutlineKind::Module, name, import.module_span, Vec::new())
        }
        Stmt::Bind { name, name_range, .. } => {
            (OutlineKind::Variable, ast.name(*name).to_string(), name_range.in_file(ast.file), Vec::new())
        }
        Stmt::Func { name, name_range, .. } => {
            (OutlineKind::Function, ast.name(*name).to_string(), name_range.in_file(ast.file), Vec::new())
        }
        Stmt::Class(class) => {
            let children = items(program, file, ast, &class.body);
            (OutlineKind::Class, written(class.name_span), class.name_span, children)
        }
        Stmt::Resource(resource) => {
            let name_span = ast.expr_span(resource.name);
            let name = format!("{} {}", ast.name(resource.kind), written(name_span));
            (OutlineKind::Resource, name, name_span, Vec::new())
        }
        Stmt::Include(include) => {
            let name = format!("include {}", ast.name(include.class));
            (OutlineKind::Resource, name, include.class_span, Vec::new())
        }
        Stmt::Error { .. } | Stmt::Panic { .. } | Stmt::Edge(_) | Stmt::If(_) | Stmt::For(_) | Stmt::ForKv(_) => {
            return None;
        }
    };
    let statement = ast.stmt_span(id);
    let start = comments::above(text, statement.start).map_or(statement.start, |(start, _)| start);
    let defined = program.index().defined(&Symbol::Defined(file, span.start));
    let detail = defined.and_then(|defined| match defined.kind {
        DefinedKind::Bind(def) => type_text(program, program.typed().def(def)),
        DefinedKind::Function(_) | DefinedKind::Class(_) | DefinedKind::Parameter(_) | DefinedKind::Alias(_) => None,
    });
    let (range, name_range) = (start..statement.end.max(span.end), span.start..span.end);
    Some(OutlineItem { name: name.replace('\n', " "), detail, kind, range, name_range, children })
}
