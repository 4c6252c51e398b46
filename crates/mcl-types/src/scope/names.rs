//! Interned names of all files; dotted names are split into their parts.

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_modules::UnitId;
use mcl_parser::ast::{Ast, Name};
use mcl_parser::{StringIndex, StringTable};
use smallvec::SmallVec;

/// A name without dots, the same in every file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(u32);
entity_impl!(Symbol);

/// The three independent namespaces (spec 02 §2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Namespace {
    Variable,
    Function,
    Class,
}

/// The parts between the dots of a name.
pub(crate) type NameParts = SmallVec<[Symbol; 4]>;

/// A name to look up.
#[derive(Clone, Copy)]
pub(crate) struct NameUse<'a> {
    pub(crate) namespace: Namespace,
    /// The parts between the dots: aliases, and the name itself last.
    pub(crate) parts: &'a [Symbol],
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum UseForm {
    Value,
    Call,
}

/// All symbols, and the names of each file in terms of them.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    names: StringTable<Symbol>,
    index: StringIndex<Symbol>,
    units: PrimaryMap<UnitId, UnitNames>,
}

/// The names of a file.
#[derive(Debug)]
struct UnitNames {
    /// The parts of all names, one name after the other.
    parts: Vec<Symbol>,
    /// Where the parts of each name end.
    ends: PrimaryMap<Name, u32>,
}

impl Symbols {
    /// Interns the names of all files.
    pub(crate) fn new(units: &PrimaryMap<UnitId, Arc<Ast>>) -> Symbols {
        let mut symbols = Symbols::default();
        for ast in units.values() {
            let mut names = UnitNames {
                parts: Vec::with_capacity(ast.names.len()),
                ends: PrimaryMap::with_capacity(ast.names.len()),
            };
            // Nearly all names are without dots, and new.
            symbols.names.reserve(ast.names.len(), ast.names.byte_len());
            symbols.index.reserve(&symbols.names, ast.names.len());
            for name in ast.names.iter() {
                if name.contains('.') {
                    names.parts.extend(name.split('.').map(|part| symbols.intern(part)));
                } else {
                    names.parts.push(symbols.index.intern(&mut symbols.names, name));
                }
                names.ends.push(names.parts.len() as u32);
            }
            symbols.units.push(names);
        }
        symbols
    }

    /// Returns the symbol of a name without dots.
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        self.index.intern(&mut self.names, name)
    }

    /// Returns the name of a symbol.
    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol]
    }

    /// Returns the parts of a name as it is written in a file.
    pub(crate) fn parts(&self, unit: UnitId, name: Name) -> &[Symbol] {
        let UnitNames { parts, ends } = &self.units[unit];
        let start = name.as_u32().checked_sub(1).map_or(0, |before| ends[Name::from_u32(before)]);
        &parts[start as usize..ends[name] as usize]
    }

    /// Returns the symbol of a name that is being defined, which never has dots.
    pub(crate) fn defined(&self, unit: UnitId, name: Name) -> Symbol {
        self.parts(unit, name)[0]
    }

    /// Joins the parts of a name with dots.
    pub(crate) fn dotted(&self, parts: &[Symbol]) -> String {
        let mut name = String::new();
        for part in parts {
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(self.name(*part));
        }
        name
    }
}
