//! Where a name is defined, and where it is used (spec 11 §3.2).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcl_diagnostics::{FileId, Span};
use mcl_parser::ast::{Expr, Stmt};
use mcl_types::DefKind;

use crate::analysis::{Analysis, Location, location};
use crate::index::{DefinedKind, DefinedName, Occurrence, Symbol};
use crate::program::Program;
use crate::struct_fields;

/// Where a name is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name that was asked about.
    pub origin: (u32, u32),
    /// The name in the definition.
    pub name: Location,
    /// The whole statement.
    pub statement: Location,
}

/// A use of a name, or its definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// Where it is.
    pub location: Location,
    /// Whether it defines the name.
    pub is_definition: bool,
}

impl Analysis {
    pub(crate) fn occurrence_at(&self, path: &Path, offset: u32) -> Option<(&Program, FileId, &Occurrence)> {
        let mut programs = self.programs().iter().filter_map(|program| Some((&**program, program.file_at(path)?)));
        programs.find_map(|(program, file)| Some((program, file, program.index().at(file, offset)?)))
    }

    /// Returns where the name at a byte offset is defined.
    #[must_use]
    pub fn definitions(&self, path: &Path, offset: u32) -> Vec<Definition> {
        let Some((program, file, name)) = self.occurrence_at(path, offset) else { return Vec::new() };
        let origin = (name.range.start, name.range.end);
        let at = |span: Span, statement: Span| {
            Some(Definition { origin, name: location(program, span)?, statement: location(program, statement)? })
        };
        match &name.symbol {
            symbol @ Symbol::Defined(..) => {
                let defined = program.index().defined(symbol);
                // The string of an import without an alias defines its last part.
                let target = defined.and_then(|defined| import_target(program, defined)).filter(|_| name.is_definition);
                let target = target.and_then(|file| at(Span::new(file, 0, 0), Span::new(file, 0, 0)));
                let here = || at(defined?.span, statement_span(program, defined?));
                target.or_else(here).into_iter().collect()
            }
            Symbol::Import(raw) => {
                let target = program.imported_file(file, raw).map(|file| Span::new(file, 0, 0));
                target.and_then(|span| at(span, span)).into_iter().collect()
            }
            symbol @ Symbol::Resource(..) => {
                let declared = program.index().occurrences(symbol).filter(|(_, name)| name.is_definition);
                let declared = declared.map(|(file, name)| Span::new(file, name.range.start, name.range.end));
                declared.filter_map(|span| at(span, resource_statement(program, span))).collect()
            }
            Symbol::Kind(kind) => self.resources_of(program, file, name, kind, &at),
            Symbol::StructField => {
                let span = name.expr.and_then(|(module, expr)| struct_fields::field_span(program, module, expr));
                span.and_then(|span| at(span, span)).into_iter().collect()
            }
            Symbol::Function(_)
            | Symbol::Variable(_)
            | Symbol::Parameter(..)
            | Symbol::Meta(_)
            | Symbol::EdgeWord(_) => Vec::new(),
        }
    }

    /// Returns all resources of a kind, for an edge whose name is not constant.
    fn resources_of(
        &self,
        program: &Program,
        file: FileId,
        name: &Occurrence,
        kind: &Arc<str>,
        at: &dyn Fn(Span, Span) -> Option<Definition>,
    ) -> Vec<Definition> {
        let text = program.loaded().files.text(Span::new(file, name.range.start, name.range.end));
        if !text.starts_with(char::is_uppercase) {
            return Vec::new();
        }
        let resources = program.scoped().units.values().flat_map(|ast| {
            ast.stmts.keys().filter_map(move |id| match ast.stmt(id) {
                Stmt::Resource(resource) if ast.name(resource.kind) == &**kind && !resource.collect => {
                    Some((ast.expr_span(resource.name), ast.stmt_span(id)))
                }
                _ => None,
            })
        });
        let found: BTreeSet<(Span, Span)> = resources.collect();
        found.into_iter().filter_map(|(name, statement)| at(name, statement)).collect()
    }

    /// Returns every use of the name at a byte offset, in all files of the programs that contain it, sorted.
    #[must_use]
    pub fn uses(&self, path: &Path, offset: u32) -> Vec<Use> {
        let Some((program, _, name)) = self.occurrence_at(path, offset) else { return Vec::new() };
        // The symbol is the same for all fields. Where one is defined is looked up when somebody asks.
        if name.symbol == Symbol::StructField {
            return Vec::new();
        }
        let mut uses = BTreeSet::new();
        let defined_at: Option<(PathBuf, u32)> = match &name.symbol {
            Symbol::Defined(file, start) => program.loaded().paths.get(*file).map(|path| (path.to_owned(), *start)),
            _ => None,
        };
        for other in self.programs() {
            let symbol = match &defined_at {
                Some((path, start)) => match other.file_at(path) {
                    Some(file) => Symbol::Defined(file, *start),
                    None => continue,
                },
                // What is built in, and resources, are those of one program.
                None if std::ptr::eq(&raw const **other, program) => name.symbol.clone(),
                None => continue,
            };
            for (file, name) in other.index().occurrences(&symbol) {
                let span = Span::new(file, name.range.start, name.range.end);
                if let Some(location) = location(other, span) {
                    uses.insert(Use { location, is_definition: name.is_definition });
                }
            }
        }
        uses.into_iter().collect()
    }
}

/// Returns the main file of the module that an alias stands for.
fn import_target(program: &Program, defined: &DefinedName) -> Option<FileId> {
    let DefinedKind::Alias(stmt) = defined.kind else { return None };
    match program.scoped().ast_of(defined.scope).stmt(stmt) {
        Stmt::Import(import) => program.imported_file(defined.span.file, &import.module),
        _ => None,
    }
}

/// Returns the whole statement that defines a name.
pub(crate) fn statement_span(program: &Program, defined: &DefinedName) -> Span {
    let scoped = program.scoped();
    let of = |id| {
        let def = scoped.def(id);
        match def.kind {
            DefKind::Bind { stmt } | DefKind::Func { stmt, .. } | DefKind::Class { stmt, .. } => {
                scoped.ast_of(def.scope).stmt_span(stmt)
            }
            DefKind::Param { .. } | DefKind::Error => scoped.def_span(id),
        }
    };
    match defined.kind {
        DefinedKind::Bind(def) | DefinedKind::Function(def) | DefinedKind::Class(def) | DefinedKind::Parameter(def) => {
            of(def)
        }
        DefinedKind::Alias(stmt) => scoped.ast_of(defined.scope).stmt_span(stmt),
    }
}

/// Returns the resource statement whose name is at this span.
fn resource_statement(program: &Program, name: Span) -> Span {
    let Some(ast) = program.ast(name.file) else { return name };
    let statements = ast.stmts.iter().filter_map(|(id, stmt)| match stmt {
        Stmt::Resource(resource) if matches!(ast.expr(resource.name), Expr::Str(_)) => Some((id, resource.name)),
        _ => None,
    });
    let found = statements.into_iter().find(|(_, expr)| ast.expr_span(*expr) == name);
    found.map_or(name, |(id, _)| ast.stmt_span(id))
}
