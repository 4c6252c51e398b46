//! Exports that nobody wants any more are taken back (spec 06 §4.5).
//!
//! A record is written by the check of its resource, and no check of a resource runs once its vertex was removed. So
//! it is enough to look at what a removed vertex exported, and at what an earlier process left, when the first graph
//! comes and nothing runs. An earlier process' part in schedules ends then, too.

use resource_engine::EngineGraph;
use resource_graph::Resource;
use resources::{Failure, exports};
use rustc_hash::FxHashSet;
use shared_store::{Export, SharedStore};

/// The exports of this host.
pub(super) struct Published {
    world: SharedStore,
    /// Those of the newest graph; none before the first.
    wanted: Option<FxHashSet<Export>>,
}

impl Published {
    pub(super) fn new(world: SharedStore) -> Published {
        Published { world, wanted: None }
    }

    /// A new graph is on its way: what earlier processes published and it does not have is taken back now, what the
    /// running graph published when its vertices are removed.
    pub(super) fn expect(&mut self, graph: &EngineGraph) -> Vec<Failure> {
        // A member of a group is never exported.
        let wanted: FxHashSet<Export> = graph.groups().iter().flat_map(|group| exports(&group[0])).collect();
        let is_first = self.wanted.replace(wanted).is_none();
        if !is_first {
            return Vec::new();
        }
        let mut failures = match self.world.own_exports() {
            Ok(found) => self.take_back(found),
            Err(error) => vec![Failure::io("read the exports in", self.world.exports(), error)],
        };
        let leases = self.world.end_leases();
        failures.extend(leases.err().map(|error| Failure::io("end the leases of", "this host", error)));
        failures
    }

    /// A vertex was removed, and runs no more.
    pub(super) fn take_back_of(&self, resource: &Resource) -> Vec<Failure> {
        self.take_back(exports(resource))
    }

    fn take_back(&self, exports: impl IntoIterator<Item = Export>) -> Vec<Failure> {
        let wanted = |export: &Export| self.wanted.as_ref().is_some_and(|wanted| wanted.contains(export));
        let unwanted = exports.into_iter().filter(|export| !wanted(export));
        let take_back = |export: Export| {
            let what = || format!("{}[{}] to {}", export.kind, export.name, export.to);
            self.world.withdraw(&export).err().map(|error| Failure::io("take back the export of", what(), error))
        };
        unwanted.filter_map(take_back).collect()
    }
}
