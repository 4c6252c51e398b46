//! Interned names of all files; dotted names are split into their parts.

use std::sync::Arc;

use cranelift_entity::{PrimaryMap, entity_impl};
use mcl_modules::UnitId;
use mcl_parser::ast::{Ast, Name};
use rustc_hash::FxHashMap;
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

/// All symbols, and the names of each file in terms of them.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    names: PrimaryMap<Symbol, Arc<str>>,
    index: FxHashMap<Arc<str>, Symbol>,
    /// By [`UnitId`], by [`Name`].
    units: PrimaryMap<UnitId, PrimaryMap<Name, Parts>>,
}

/// A name of a file.
#[derive(Debug)]
enum Parts {
    Simple([Symbol; 1]),
    /// `a.b.c`.
    Dotted(Box<[Symbol]>),
}

impl Symbols {
    /// Interns the names of all files.
    pub(crate) fn new(units: &PrimaryMap<UnitId, Arc<Ast>>) -> Symbols {
        let mut symbols = Symbols::default();
        for ast in units.values() {
            let names = ast.names.values().map(|name| symbols.split(name)).collect();
            symbols.units.push(names);
        }
        symbols
    }

    fn split(&mut self, name: &Arc<str>) -> Parts {
        if name.contains('.') {
            Parts::Dotted(name.split('.').map(|part| self.intern(part)).collect())
        } else {
            Parts::Simple([self.intern_shared(name)])
        }
    }

    /// Returns the symbol of a name without dots.
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        match self.index.get(name) {
            Some(symbol) => *symbol,
            None => self.intern_shared(&name.into()),
        }
    }

    fn intern_shared(&mut self, name: &Arc<str>) -> Symbol {
        let next = self.names.next_key();
        let symbol = *self.index.entry(Arc::clone(name)).or_insert(next);
        if symbol == next {
            self.names.push(Arc::clone(name));
        }
        symbol
    }

    /// Returns the name of a symbol.
    pub(crate) fn name(&self, symbol: Symbol) -> &Arc<str> {
        &self.names[symbol]
    }

    /// Returns the parts of a name as it is written in a file.
    pub(crate) fn parts(&self, unit: UnitId, name: Name) -> &[Symbol] {
        match &self.units[unit][name] {
            Parts::Simple(part) => part,
            Parts::Dotted(parts) => parts,
        }
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
