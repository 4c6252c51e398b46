//! Resource defaults (spec 07 §5.8, §9.1): `File { mode => '0644' }`.

use std::sync::Arc;

use pp_types::Value;
use rustc_hash::FxHashMap;

use crate::error::{CatalogError, ErrorKind};
use crate::id::ResourceId;
use crate::parameter::{Parameter, Parameters};

/// The defaults that were set in the scopes of classes, defines and nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defaults {
    /// By the resource of the scope, and the name of the type.
    scopes: FxHashMap<ResourceId, FxHashMap<Arc<str>, Parameters>>,
    /// The scopes around scopes; those that are missing have none around them.
    around: FxHashMap<ResourceId, ResourceId>,
}

impl Defaults {
    /// Says in which scope the defaults are found that a scope does not have.
    pub(crate) fn set_around(&mut self, scope: ResourceId, around: ResourceId) {
        if scope != around {
            self.around.insert(scope, around);
        }
    }

    /// Sets a default in a scope; an error if it is set already.
    pub(crate) fn add(
        &mut self,
        scope: ResourceId,
        type_name: &Arc<str>,
        default: Parameter,
    ) -> Result<(), CatalogError> {
        let types = self.scopes.entry(scope).or_default();
        let known = types.entry(Arc::clone(type_name)).or_default();
        if let Some(earlier) = known.get(&default.name) {
            let (earlier, location) = (earlier.location.clone(), default.location);
            let kind = ErrorKind::DefaultTaken { type_name: Arc::clone(type_name), parameter: default.name, earlier };
            return Err(CatalogError { kind, location });
        }
        known.set(default);
        Ok(())
    }

    /// Returns the defaults that hold for a type in a scope, those of outer scopes first.
    pub(crate) fn in_scope(&self, scope: ResourceId, type_name: &str) -> Parameters {
        if self.scopes.is_empty() {
            return Parameters::default();
        }
        let mut found: Vec<&Parameters> = self.tables(scope, type_name).collect();
        found.reverse();
        let mut all = Parameters::default();
        for default in found.into_iter().flatten() {
            all.set(default.clone());
        }
        all
    }

    /// Returns whether a value is what a default in a scope or around it says, hidden by another or not.
    pub(crate) fn is_default(&self, scope: ResourceId, type_name: &str, name: &str, value: &Value) -> bool {
        let mut defaults = self.tables(scope, type_name).filter_map(|defaults| defaults.get(name));
        defaults.any(|default| is_same(&default.value, value))
    }

    fn tables<'a>(&'a self, scope: ResourceId, type_name: &'a str) -> impl Iterator<Item = &'a Parameters> {
        let scopes = std::iter::successors(Some(scope), |scope| self.around.get(scope).copied());
        scopes.filter_map(move |scope| self.scopes.get(&scope)?.get(type_name))
    }
}

/// Strings are compared exactly, numbers across kinds.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => pp_types::equal(left, right),
        _ => left == right,
    }
}
