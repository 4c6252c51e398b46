//! Names that a statement with a syntax error may define.
//!
//! A broken statement defines what it seems to define ([`DefKind::Error`](crate::scoped::DefKind::Error)). Beyond that, any
//! of its first words may be the name that it was meant to define, and that name may be what is broken. A name that is
//! unknown otherwise is not reported if it is such a word, or if it is the only one that a definition without a name can
//! account for: it would be a consequence of an error that was already reported.

use rustc_hash::FxHashSet;

use crate::scope::Resolver;
use crate::scope::names::{NameUse, Namespace, Symbol};
use crate::scope::table::AliasTarget;
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

impl Resolver<'_> {
    /// Whether an unknown name is a consequence of a broken statement that is visible in the scope.
    pub(crate) fn follows_from_broken_statement(&mut self, name: NameUse<'_>, scope: ScopeId) -> bool {
        let Some((first, rest)) = name.parts.split_first() else { return false };
        let wanted = if rest.is_empty() { Unnamed::In(name.namespace) } else { Unnamed::Alias };
        let mut current = Some(scope);
        while let Some(scope) = current {
            let broken = self.tables[scope].broken.as_mut();
            if broken.is_some_and(|broken| broken.accounts_for(*first, wanted)) {
                return true;
            }
            let alias = self.tables[scope].aliases.get(first).map(|alias| alias.target);
            if let Some(AliasTarget::Instance(instance)) = alias
                && !rest.is_empty()
                && let Some(inside) = self.out.instance_scope(instance)
            {
                return self.follows_from_broken_statement(NameUse { parts: rest, ..name }, inside);
            }
            current = self.out.scope(scope).parent;
        }
        false
    }
}

impl BrokenNames {
    fn accounts_for(&mut self, name: Symbol, wanted: Unnamed) -> bool {
        if self.mentions.contains(&name) {
            return true;
        }
        let mut unnamed = self.unnamed.iter_mut();
        let account = unnamed.find(|(kind, used)| *kind == wanted && used.is_none_or(|used| used == name));
        account.map(|(_, used)| *used = Some(name)).is_some()
    }
}
