//! The symbol table of a scope.

use std::sync::Arc;

use mcl_diagnostics::Span;
use mcl_modules::UnitId;
use mcl_parser::ast::StmtId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::scope::broken_names::BrokenNames;
use crate::scope::names::{Namespace, Symbol};
use crate::scoped::{DefId, InstanceId, ScopeId};

/// The names that a scope defines, and what resolving them needs to know about the scope.
pub(crate) struct SymbolTable {
    /// One table for all namespaces: most scopes have names in one of them, or none.
    pub(crate) definitions: FxHashMap<(Namespace, Symbol), DefId>,
    /// The parameters: a layer around the body, whose own bindings may shadow them.
    pub(crate) params: Params,
    pub(crate) aliases: FxHashMap<Symbol, Alias>,
    /// The targets of `import … as *`, in source order.
    pub(crate) stars: Vec<(StmtId, AliasTarget)>,
    /// Uses of definitions of this scope by its other definitions.
    pub(crate) dependencies: Vec<Dependency>,
    /// The class body or module around the scope, or the scope itself.
    pub(crate) enclosing: ScopeId,
    /// The number of statement lists around it.
    pub(crate) depth: u32,
    pub(crate) unit: UnitId,
    /// What it sees of the scope around it: for modules that see the names around their import, the parameters only.
    pub(crate) visible_of_parent: Visible,
    /// The module that the file is the mcl part of, if it belongs to a system module.
    pub(crate) system: Option<Symbol>,
    /// `None` if the scope has no broken statements.
    pub(crate) broken: Option<Box<BrokenNames>>,
}

/// The parameters of a scope, in their order.
#[derive(Default)]
pub(crate) struct Params {
    params: Vec<(Symbol, DefId)>,
    /// Finds those of a scope that has many.
    index: Option<Box<FxHashMap<Symbol, DefId>>>,
}

/// Few parameters are found faster without an index.
const MAX_UNINDEXED_PARAMS: usize = 16;

impl Params {
    pub(crate) fn add(&mut self, symbol: Symbol, def: DefId) {
        self.params.push((symbol, def));
        if let Some(index) = &mut self.index {
            index.insert(symbol, def);
        } else if self.params.len() > MAX_UNINDEXED_PARAMS {
            self.index = Some(Box::new(self.params.iter().copied().collect()));
        }
    }

    /// Returns the last parameter with a name.
    fn find(&self, symbol: Symbol) -> Option<DefId> {
        match &self.index {
            Some(index) => index.get(&symbol).copied(),
            None => self.params.iter().rev().find(|(name, _)| *name == symbol).map(|(_, def)| *def),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.params.len()
    }

    pub(crate) fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.params.iter().map(|(symbol, _)| *symbol)
    }
}

/// What is visible of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visible {
    All,
    Parameters,
}

/// A statement of a scope uses a definition of another one.
pub(crate) struct Dependency {
    pub(crate) from: StmtId,
    pub(crate) to: StmtId,
    /// The span of the use.
    pub(crate) span: Span,
}

/// An alias of an include or import.
pub(crate) struct Alias {
    pub(crate) stmt: StmtId,
    pub(crate) span: Span,
    pub(crate) target: AliasTarget,
}

/// The names that an alias gives access to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AliasTarget {
    /// Those of an instance of a class or file.
    Instance(InstanceId),
    /// Native names with this module prefix.
    System(Symbol),
    /// The import failed and was reported: every name is accepted without a further report.
    Error,
}

/// A name that a file uses and does not define at its top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FreeName {
    /// A name without dots.
    Simple(Namespace, Symbol),
    /// The alias at the beginning of a dotted name.
    Alias(Symbol),
}

impl FreeName {
    /// Returns the name itself.
    pub(crate) fn symbol(self) -> Symbol {
        match self {
            FreeName::Simple(_, symbol) | FreeName::Alias(symbol) => symbol,
        }
    }
}

/// The free names of a file, sorted.
pub(crate) type FreeNames = Arc<[FreeName]>;

/// Progress of the lookup of the class that an include instantiates.
#[derive(Debug)]
pub(crate) enum ClassLookup {
    NotStarted,
    InProgress,
    Done,
    /// The class was looked up. The include statement depends on these statements of the scopes around it.
    Found {
        providers: SmallVec<[(ScopeId, StmtId); 2]>,
        missing: bool,
    },
}

impl SymbolTable {
    pub(crate) fn new(unit: UnitId, enclosing: ScopeId, depth: u32) -> SymbolTable {
        SymbolTable {
            definitions: FxHashMap::default(),
            params: Params::default(),
            aliases: FxHashMap::default(),
            stars: Vec::new(),
            dependencies: Vec::new(),
            enclosing,
            depth,
            unit,
            visible_of_parent: Visible::All,
            system: None,
            broken: None,
        }
    }

    /// Returns the parameter with this name; of equal names, the last one counts (spec 02 §2.3).
    pub(crate) fn param(&self, symbol: Symbol) -> Option<DefId> {
        self.params.find(symbol)
    }
}
