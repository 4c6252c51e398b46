//! Which classes and functions use each other (spec 11 §3.10).

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use mcl_diagnostics::{FileId, Span};

use crate::analysis::{Analysis, Location, location};
use crate::index::{DefinedKind, DefinedName, Symbol};
use crate::navigation::statement_span;
use crate::program::Program;

/// A class or function, or a file for what is at its top level.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallItem {
    /// The name.
    pub name: String,
    /// Whether it is a class, a function, or a file.
    pub kind: CallKind,
    /// Where the name is.
    pub location: Location,
    /// The whole definition.
    pub statement: Location,
}

/// The kinds of [`CallItem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum CallKind {
    Class,
    Function,
    File,
}

/// A class or function, and the places of the uses.
pub type Calls = Vec<(CallItem, Vec<Location>)>;

impl Analysis {
    /// Returns the class or function whose name is at a byte offset.
    #[must_use]
    pub fn call_item(&self, path: &Path, offset: u32) -> Option<CallItem> {
        let (program, _, name) = self.occurrence_at(path, offset)?;
        item(program, program.index().defined(&name.symbol)?)
    }

    /// Returns where the names of the classes and functions of a file are, in its order, each with its uses.
    #[must_use]
    pub fn callables(&self, path: &Path) -> Vec<(Range<u32>, Vec<Location>)> {
        let Some((program, file)) = self.program_of(path) else { return Vec::new() };
        let is_callable = |defined: &DefinedName| {
            matches!(defined.kind, DefinedKind::Class(_) | DefinedKind::Function(_)) && defined.span.file == file
        };
        let names = program.index().all_defined().filter(|(_, defined)| is_callable(defined));
        let mut names: Vec<(Range<u32>, Vec<Location>)> = names
            .map(|(_, defined)| {
                let uses = self.uses(path, defined.span.start).into_iter().filter(|found| !found.is_definition);
                (defined.span.start..defined.span.end, uses.map(|found| found.location).collect())
            })
            .collect();
        names.sort_by_key(|(range, _)| range.start);
        names
    }

    /// Returns what uses a class or function, with the places of the uses.
    #[must_use]
    pub fn incoming_calls(&self, path: &Path, offset: u32) -> Calls {
        let Some((program, _, name)) = self.occurrence_at(path, offset) else { return Vec::new() };
        let mut calls: BTreeMap<CallItem, Vec<Location>> = BTreeMap::new();
        for (file, used) in program.index().occurrences(&name.symbol).filter(|(_, name)| !name.is_definition) {
            let span = Span::new(file, used.range.start, used.range.end);
            let around = around(program, span).and_then(|defined| item(program, defined));
            let from = around.or_else(|| self.file_item(program, file));
            if let (Some(from), Some(place)) = (from, location(program, span)) {
                calls.entry(from).or_default().push(place);
            }
        }
        calls.into_iter().collect()
    }

    /// Returns what the body of a class or function uses, with the places of the uses.
    #[must_use]
    pub fn outgoing_calls(&self, path: &Path, offset: u32) -> Calls {
        let Some((program, _, name)) = self.occurrence_at(path, offset) else { return Vec::new() };
        let Some(defined) = program.index().defined(&name.symbol) else { return Vec::new() };
        let body = statement_span(program, defined);
        let mut calls: BTreeMap<CallItem, Vec<Location>> = BTreeMap::new();
        let inside = program.index().of_file(body.file).iter();
        let inside =
            inside.filter(|name| !name.is_definition && body.start <= name.range.start && name.range.end <= body.end);
        for used in inside {
            let target = program.index().defined(&used.symbol).and_then(|defined| item(program, defined));
            let span = Span::new(body.file, used.range.start, used.range.end);
            if let (Some(to), Some(place)) = (target, location(program, span)) {
                calls.entry(to).or_default().push(place);
            }
        }
        calls.into_iter().collect()
    }

    fn file_item(&self, program: &Program, file: FileId) -> Option<CallItem> {
        let source = program.file(file)?;
        let start = location(program, Span::new(file, 0, 0))?;
        let statement = Location { end: source.text.len() as u32, ..start.clone() };
        Some(CallItem { name: source.name.to_string(), kind: CallKind::File, location: start, statement })
    }
}

fn item(program: &Program, defined: &DefinedName) -> Option<CallItem> {
    let kind = match defined.kind {
        DefinedKind::Class(_) => CallKind::Class,
        DefinedKind::Function(_) => CallKind::Function,
        DefinedKind::Bind(_) | DefinedKind::Parameter(_) | DefinedKind::Alias(_) => return None,
    };
    Some(CallItem {
        name: defined.name.to_string(),
        kind,
        location: location(program, defined.span)?,
        statement: location(program, statement_span(program, defined))?,
    })
}

/// Returns the innermost class or function around a span.
fn around(program: &Program, span: Span) -> Option<&DefinedName> {
    let definitions = program.index().all_defined().filter(|(symbol, defined)| {
        matches!(symbol, Symbol::Defined(file, _) if *file == span.file)
            && matches!(defined.kind, DefinedKind::Class(_) | DefinedKind::Function(_))
    });
    let containing = definitions.filter_map(|(_, defined)| {
        let statement = statement_span(program, defined);
        let contains = statement.start <= span.start && span.end <= statement.end;
        contains.then_some((statement.end - statement.start, defined.span, defined))
    });
    containing.min_by_key(|(length, span, _)| (*length, *span)).map(|(_, _, defined)| defined)
}
