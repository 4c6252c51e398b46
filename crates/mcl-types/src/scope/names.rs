//! Names of all files under one numbering, dotted ones split.

use std::sync::Arc;

use mcl_modules::UnitId;
use mcl_parser::ast::{Ast, Name};
use rustc_hash::FxHashMap;

/// A name without dots, the same in every file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

/// The three independent maps of spec 02 §2.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Variable,
    Function,
    Class,
}

/// All symbols, and the names of each file in terms of them.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    texts: Vec<Arc<str>>,
    index: FxHashMap<Arc<str>, Symbol>,
    units: Vec<Vec<Parts>>,
}

/// A name of a file.
#[derive(Debug)]
enum Parts {
    One([Symbol; 1]),
    /// `a.b.c`.
    Dotted(Box<[Symbol]>),
}

impl Symbols {
    pub(super) fn new(units: &[Arc<Ast>]) -> Symbols {
        let mut symbols = Symbols::default();
        for ast in units {
            let names = ast.names.iter().map(|name| symbols.split(name)).collect();
            symbols.units.push(names);
        }
        symbols
    }

    fn split(&mut self, name: &Arc<str>) -> Parts {
        if name.contains('.') {
            Parts::Dotted(name.split('.').map(|part| self.intern(part)).collect())
        } else {
            Parts::One([self.intern_shared(name)])
        }
    }

    pub(super) fn intern(&mut self, text: &str) -> Symbol {
        match self.index.get(text) {
            Some(symbol) => *symbol,
            None => self.intern_shared(&text.into()),
        }
    }

    fn intern_shared(&mut self, text: &Arc<str>) -> Symbol {
        let next = Symbol(u32::try_from(self.texts.len()).expect("fewer than 2^32 names"));
        let symbol = *self.index.entry(Arc::clone(text)).or_insert(next);
        if symbol == next {
            self.texts.push(Arc::clone(text));
        }
        symbol
    }

    pub(super) fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }

    /// The parts of a name as it stands in a file.
    pub(super) fn parts(&self, unit: UnitId, name: Name) -> &[Symbol] {
        match &self.units[unit.0 as usize][name.0 as usize] {
            Parts::One(one) => one,
            Parts::Dotted(parts) => parts,
        }
    }

    /// The symbol of a name that is defined, which never has dots.
    pub(super) fn whole(&self, unit: UnitId, name: Name) -> Symbol {
        self.parts(unit, name)[0]
    }
}
