//! Collectors (spec 07 §5.8).

use std::sync::Arc;

use crate::error::CatalogWarning;
use crate::id::{ResourceId, SourceId};
use crate::location::Location;
use crate::parameter::Parameter;
use crate::query::Query;

/// `Type <| query |> { … }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collector {
    /// The name of the type, each segment capitalized.
    pub type_name: Arc<str>,
    /// Which resources; `None` for all.
    pub query: Option<Query>,
    /// The brackets.
    pub form: CollectorForm,
    /// What to override.
    pub overrides: Vec<Parameter>,
    /// The resource of the scope that it is in. If it overrides anything, the defaults of the scope count as overrides.
    pub scope: ResourceId,
    /// The class, define or node whose body it is in.
    pub source: SourceId,
    /// Where.
    pub location: Location,
}

/// The brackets of a collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CollectorForm {
    /// `<| |>`: realises virtual resources, and overrides real ones, too.
    Virtual,
    /// `<<| |>>`: collects what other nodes export. Without a store it collects nothing.
    Exported,
}

/// What a round of collection did.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Something was collected.
    pub changed: bool,
    /// What is suspicious about it.
    pub warnings: Vec<CatalogWarning>,
}

/// A collector, and what it has done.
#[derive(Clone, Debug)]
pub(crate) struct CollectorState {
    pub(crate) collector: Collector,
    pub(crate) asks_for_tags: bool,
    /// The number of changes of the type that it has seen.
    pub(crate) seen: usize,
    /// The number of entries of an index that it has seen.
    pub(crate) seen_entries: usize,
    /// The number of changes of the tags of containers that it has seen.
    pub(crate) seen_tags: u64,
    /// What it has collected: sorted runs, one a round.
    pub(crate) collected: Vec<ResourceId>,
    /// Where each run but the first starts.
    pub(crate) runs: Vec<usize>,
}

impl CollectorState {
    pub(crate) fn collected(&self) -> &[ResourceId] {
        &self.collected
    }

    /// Makes the next round look at all resources, as the tests do to compare.
    #[cfg(test)]
    pub(crate) fn forget(&mut self) {
        (self.seen, self.seen_entries, self.seen_tags) = (0, 0, u64::MAX);
    }

    /// Returns whether a resource was collected.
    pub(crate) fn has_collected(&self, id: ResourceId) -> bool {
        let mut start = 0;
        for end in self.runs.iter().copied().chain([self.collected.len()]) {
            if self.collected[start..end].binary_search(&id).is_ok() {
                return true;
            }
            start = end;
        }
        false
    }
}
