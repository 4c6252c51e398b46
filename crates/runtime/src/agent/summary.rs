//! The result of a run.

use resource_graph::ResourceId;

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The number of resources in the last graph; a group counts once.
    pub total: usize,
    /// The number of these that were in their desired state at the end.
    pub done: usize,
    /// The number of changes made or, in noop, found necessary.
    pub changes: usize,
    /// The resources that were failing at the end.
    pub failed: Vec<ResourceId>,
    /// The resources that were waiting at the end, each with the one that it was waiting for.
    pub blocked: Vec<(ResourceId, ResourceId)>,
    /// Whether a signal or a request ended the run.
    pub interrupted: bool,
    /// The number of the signal that ended the run.
    pub signal: Option<i32>,
    /// Whether a graph source failed.
    pub source_failed: bool,
    /// The exit status that an `exit` resource requested.
    pub exit_status: Option<u8>,
}

impl Summary {
    /// Whether a signal ended the run before every resource was in its desired state.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.interrupted && (self.total == 0 || self.done < self.total || !self.is_success())
    }

    /// Whether every resource is in its desired state and every source works.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.failed.is_empty() && self.blocked.is_empty() && !self.source_failed
    }
}
