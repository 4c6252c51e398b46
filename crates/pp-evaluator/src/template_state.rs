//! What the templates of a compilation have in common.

use pp_erb::{Mutability, Objects};
use pp_types::Value;
use rustc_hash::FxHashMap;

use crate::scope::ScopeId;

/// What the templates of a compilation have in common.
#[derive(Debug, Default)]
pub(crate) struct TemplateState {
    /// The objects of the running templates.
    pub objects: Objects,
    /// How many templates run, inside each other.
    pub running: u32,
    /// Classes whose variables the running templates have read.
    pub classes: Vec<ScopeId>,
    /// Values that must not be changed, or whose changes are not shared, by their addresses.
    pub fixed: FxHashMap<usize, Mutability>,
    /// How many trees `fixed` has the literals of; none before the facts are in it.
    pub fixed_trees: Option<usize>,
    /// The strings that were changed, with their present values. Resources share them with variables.
    pub strings: Vec<(Value, Value)>,
}

impl TemplateState {
    /// Says that the outermost template has ended.
    pub(crate) fn forget(&mut self) {
        self.objects.forget();
        self.classes.clear();
    }
}
