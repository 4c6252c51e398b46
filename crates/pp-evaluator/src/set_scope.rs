//! What the names in a set of types stand for while its types are resolved.

use std::sync::Arc;

use pp_ast::{ExprId, Tree};
use pp_types::TypeSetReference;

/// A set of types while its types are resolved.
#[derive(Debug)]
pub(crate) struct SetScope<'e> {
    /// The name of the set.
    pub name: Arc<str>,
    pub tree: &'e Tree,
    pub types: Vec<(Arc<str>, ExprId)>,
    pub references: Vec<TypeSetReference>,
}

impl SetScope<'_> {
    /// Returns the definition of a type of the set, and its whole name.
    pub fn definition(&self, name: &str) -> Option<(ExprId, String)> {
        let (name, value) = self.types.iter().find(|(other, _)| **other == *name)?;
        Some((*value, format!("{}::{name}", self.name)))
    }

    /// Returns the name of a type of another set that the set refers to.
    pub fn referred(&self, name: &str) -> Option<String> {
        let (first, rest) = match name.split_once("::") {
            Some((first, rest)) => (first, Some(rest)),
            None => (name, None),
        };
        let reference = self.references.iter().find(|reference| *reference.alias == *first)?;
        Some(rest.map_or_else(|| reference.name.to_string(), |rest| format!("{}::{rest}", reference.name)))
    }
}
