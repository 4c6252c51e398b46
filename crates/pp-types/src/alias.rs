//! Type aliases.
//!
//! The definition of an alias may refer to the alias itself, or to others that refer to it. So that nothing keeps itself alive, all
//! aliases of an evaluation belong to one [`Aliases`]: a reference in a program keeps them all alive, a reference within a
//! definition none.

use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::types::Type;

/// The aliases of an evaluation, or of the signatures of a function.
#[derive(Debug, Default)]
pub struct Aliases(Mutex<Vec<Arc<Definition>>>);

#[derive(Debug)]
struct Definition {
    /// What the alias stands for, set once.
    resolved: OnceLock<Type>,
}

impl Aliases {
    /// Creates the owner of aliases that are still to be declared.
    #[must_use]
    pub fn new() -> Arc<Aliases> {
        Arc::default()
    }

    /// Declares an alias. Until [`Alias::resolve`] says what it stands for, it has no instances.
    #[must_use]
    pub fn declare(self: &Arc<Self>, name: &str) -> Alias {
        let definition = Arc::new(Definition { resolved: OnceLock::new() });
        let alias =
            Alias { name: name.into(), definition: Arc::downgrade(&definition), _owner: Some(Arc::clone(self)) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(definition);
        alias
    }
}

/// A reference to a type alias. Equal to another if the name is.
#[derive(Clone, Debug)]
pub struct Alias {
    name: Arc<str>,
    definition: Weak<Definition>,
    /// Keeps the definitions alive.
    _owner: Option<Arc<Aliases>>,
}

impl Alias {
    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns what the alias stands for; `None` before that is known.
    #[must_use]
    pub fn resolved(&self) -> Option<Resolved> {
        let definition = self.definition.upgrade()?;
        definition.resolved.get().is_some().then_some(Resolved(Source::Declared(definition)))
    }

    /// Says what the alias stands for, once and for all. References in the type must come from [`Alias::within_definition`].
    pub fn resolve(&self, ty: Type) {
        if let Some(definition) = self.definition.upgrade() {
            definition.resolved.get_or_init(|| ty);
        }
    }

    /// Returns a reference for the definition of this alias, or of another one with the same owner.
    #[must_use]
    pub fn within_definition(&self) -> Alias {
        Alias { _owner: None, ..self.clone() }
    }

    /// Returns whether two references are to the same declaration.
    #[must_use]
    pub fn is_same(&self, other: &Alias) -> bool {
        self.definition.ptr_eq(&other.definition)
    }
}

impl PartialEq for Alias {
    fn eq(&self, other: &Alias) -> bool {
        self.name == other.name
    }
}

impl Eq for Alias {}

impl std::hash::Hash for Alias {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// What an alias stands for, built in or not. Derefs to the type.
#[derive(Clone, Debug)]
pub struct Resolved(Source);

#[derive(Clone, Debug)]
enum Source {
    BuiltIn(&'static Type),
    Declared(Arc<Definition>),
}

impl Resolved {
    /// Wraps what a built-in alias, such as `Data`, stands for.
    pub(crate) fn built_in(ty: &'static Type) -> Resolved {
        Resolved(Source::BuiltIn(ty))
    }
}

impl Deref for Resolved {
    type Target = Type;

    fn deref(&self) -> &Type {
        match &self.0 {
            Source::BuiltIn(ty) => ty,
            // It was resolved when this value was made.
            Source::Declared(definition) => definition.resolved.get().unwrap_or(&Type::Any),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_that_refers_to_itself_is_freed() {
        let aliases = Aliases::new();
        let alias = aliases.declare("Tree");
        alias.resolve(Type::array(Type::Alias(alias.within_definition()), None));
        let definition = alias.definition.clone();
        drop(aliases);
        assert!(alias.resolved().is_some_and(|resolved| matches!(*resolved, Type::Array(..))));
        drop(alias);
        assert!(definition.upgrade().is_none());
    }
}
