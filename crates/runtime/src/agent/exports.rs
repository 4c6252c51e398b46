//! Withdrawing exports whose resource left the program (spec 06 §4.5).
//!
//! The check of a resource writes its export, and no check runs after the resource's vertex was removed. So there are two
//! occasions to withdraw exports: the removal of a vertex, and the first graph, before anything runs, for what an earlier
//! process left. The schedule leases of an earlier process also end then.

use resource_engine::EngineGraph;
use resource_graph::Resource;
use resources::{Failure, exports};
use rustc_hash::FxHashSet;
use shared_store::{Export, SharedStore};

/// The exports of this host.
pub(super) struct ExportTracker {
    store: SharedStore,
    /// The exports of the newest graph; `None` before the first.
    wanted: Option<FxHashSet<Export>>,
}

impl ExportTracker {
    pub(super) fn new(store: SharedStore) -> ExportTracker {
        ExportTracker { store, wanted: None }
    }

    /// Registers the exports of a new graph, and if it is the first, withdraws what an earlier process left. Returns what
    /// failed.
    pub(super) fn update(&mut self, graph: &EngineGraph) -> Vec<Failure> {
        // A member of a group is never exported.
        let wanted: FxHashSet<Export> = graph.groups().iter().flat_map(|group| exports(&group[0])).collect();
        let is_first = self.wanted.replace(wanted).is_none();
        if !is_first {
            return Vec::new();
        }
        let mut failures = match self.store.own_exports() {
            Ok(found) => self.withdraw(found),
            Err(error) => vec![Failure::io("read the exports in", self.store.exports(), error)],
        };
        let leases = self.store.end_leases();
        failures.extend(leases.err().map(|error| Failure::io("end the leases of", "this host", error)));
        failures
    }

    /// Withdraws the exports of a removed vertex that are not in the newest graph. Returns what failed.
    pub(super) fn withdraw_exports_of(&self, resource: &Resource) -> Vec<Failure> {
        self.withdraw(exports(resource))
    }

    fn withdraw(&self, exports: impl IntoIterator<Item = Export>) -> Vec<Failure> {
        let wanted = |export: &Export| self.wanted.as_ref().is_some_and(|wanted| wanted.contains(export));
        let unwanted = exports.into_iter().filter(|export| !wanted(export));
        let withdraw = |export: Export| {
            let what = || format!("{}[{}] to {}", export.kind, export.name, export.to);
            self.store.withdraw(&export).err().map(|error| Failure::io("withdraw the export of", what(), error))
        };
        unwanted.filter_map(withdraw).collect()
    }
}
