//! What broken statements may define.

use mcl_parser::ast::StmtId;
use rustc_hash::FxHashSet;

use crate::scope::names::{Namespace, Symbol};
use crate::scoped::ScopeId;

/// What the broken statements of a scope may define.
#[derive(Default)]
pub(crate) struct BrokenNames {
    /// The words of broken statements.
    pub(crate) mentions: FxHashSet<Symbol>,
    /// Definitions whose names are missing, each with the unknown name that it accounts for.
    pub(crate) unnamed: Vec<(Unnamed, Option<Symbol>)>,
}

/// The kinds of definitions whose names are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unnamed {
    In(Namespace),
    Alias,
}

/// The body of a class with a broken head. Like that of any class, it is checked only if the class is included.
pub(crate) struct BrokenClass {
    /// The scope of the statement that stands for the body, an `if` with an erroneous condition.
    pub(crate) scope: ScopeId,
    pub(crate) stmt: StmtId,
    pub(crate) body: ScopeId,
    /// The words that may be its name; `None` if any name may be.
    pub(crate) names: Option<Vec<Symbol>>,
}

impl BrokenNames {
    /// Returns whether a name may be one that a broken statement defines.
    pub(crate) fn accounts_for(&mut self, name: Symbol, wanted: Unnamed) -> bool {
        if self.mentions.contains(&name) {
            return true;
        }
        let mut unnamed = self.unnamed.iter_mut();
        let account = unnamed.find(|(kind, used)| *kind == wanted && used.is_none_or(|used| used == name));
        account.map(|(_, used)| *used = Some(name)).is_some()
    }
}
