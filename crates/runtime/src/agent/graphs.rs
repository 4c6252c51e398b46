//! New graphs and patches on their way to the engine.

use std::sync::Arc;
use std::time::Instant;

use mcl_value::Value;
use resource_engine::{EngineGraph, Event, GraphPatch};
use resource_graph::{Resource, ResourceId};
use resources::{ApplyContext, ManagedPaths, Reversals};
use rustc_hash::FxHashSet;

use crate::agent::claims::UsedPaths;
use crate::agent::event_loop::{Agent, RunMode};
use crate::agent::job::SharedContext;
use crate::patcher::PURGING_PARAMETERS;

impl Agent<'_> {
    pub(super) fn handle_graph(&mut self, mut graph: Box<EngineGraph>) {
        self.awaits_graph = false;
        self.has_reversals = self.add_reversals(&mut graph);
        let failures = self.exports.as_mut().map_or_else(Vec::new, |exports| exports.update(&graph));
        self.report_failures(&failures);
        let apply = ApplyContext { managed: managed_paths(&graph), ..self.context.apply.clone() };
        self.context = Arc::new(SharedContext { apply, ..(*self.context).clone() });
        self.schedule_housekeeping(Instant::now());
        self.slots.reserve(graph.groups().len());
        self.events.push_back(Event::Swap(graph));
    }

    /// Changes parts of the running graph. The exports are the same as before.
    pub(super) fn handle_patch(&mut self, patch: GraphPatch) {
        if self.has_reversals {
            // Those that succeeded leave with the next graph, and the edges of the others may change.
            self.request_graph();
        }
        // The whole graph contains these values, too.
        if self.awaits_graph {
            return;
        }
        self.update_managed_paths(&patch);
        self.events.push_back(Event::Patch(patch));
    }

    /// Brings the files that resources manage up to date, if there are resources that respect them.
    fn update_managed_paths(&mut self, patch: &GraphPatch) {
        if !patch.is_structural() || !self.context.apply.managed.is_known() {
            return;
        }
        let leaders = patch.replaced.iter().map(|group| &group[0].id).chain(&patch.removed);
        let old = leaders.flat_map(|id| self.engine.resources_of(id));
        let new = patch.replaced.iter().chain(&patch.added).flat_map(|group| group.iter());
        let managed = self.context.apply.managed.with_changes(old, new);
        let apply = ApplyContext { managed: Arc::new(managed), ..self.context.apply.clone() };
        self.context = Arc::new(SharedContext { apply, ..(*self.context).clone() });
    }

    /// Asks for a whole graph. Patches that come before it are ignored.
    fn request_graph(&mut self) {
        if !std::mem::replace(&mut self.awaits_graph, true) {
            self.handle.request_graph();
        }
    }

    /// Asks for a whole graph if a removed resource has to be undone and the running graph does not contain that: its check
    /// began before the resource was removed, and stored the old state afterwards.
    pub(super) fn undo_later(&mut self, removed: &Resource) {
        let is_stored = |reversals: &Reversals| reversals.is_stored(&removed.id);
        if removed.meta.reverse
            && self.mode != RunMode::Once
            && !self.engine.contains(&removed.id)
            && self.reversals.as_ref().is_some_and(is_stored)
        {
            self.request_graph();
        }
    }

    /// Adds the reversals of resources that are no longer in the program to the graph. Returns whether there are any.
    fn add_reversals(&mut self, graph: &mut EngineGraph) -> bool {
        let Some(reversals) = &self.reversals else { return false };
        let (pending, failures) = reversals.pending();
        let present: FxHashSet<ResourceId> = if pending.is_empty() {
            FxHashSet::default()
        } else {
            graph.groups().iter().flat_map(|group| group.iter()).map(|r| r.id.clone()).collect()
        };
        let pending: Vec<_> = pending.into_iter().filter(|reversal| !present.contains(&reversal.id)).collect();
        let has_reversals = !pending.is_empty();
        if has_reversals {
            let used = UsedPaths::of(graph.groups());
            for reversal in pending {
                // What the program wants of the same path comes after the old state is back.
                graph.add_before(reversal.clone(), used.by(&reversal));
            }
        }
        self.report_failures(&failures);
        has_reversals
    }
}

/// Returns the files that resources manage; unknown if no resource has to respect them.
fn managed_paths(graph: &EngineGraph) -> Arc<ManagedPaths> {
    let resources = || graph.groups().iter().flat_map(|group| group.iter());
    let is_set = |key: &str| resources().any(|r| matches!(r.params.get(key), Some(Value::Bool(true))));
    if !PURGING_PARAMETERS.into_iter().any(is_set) {
        return Arc::default();
    }
    Arc::new(ManagedPaths::of(resources()))
}

#[cfg(test)]
mod tests {
    use resources::StateDir;

    use super::*;
    use crate::agent::{AgentOptions, PlanRecorder};

    #[test]
    fn old_state_that_was_stored_after_the_resource_left_is_not_forgotten() {
        let dir = tempfile::tempdir().expect("a directory");
        let state = StateDir::open(&dir.path().join("prefix")).expect("a state directory");
        let path = dir.path().join("f").display().to_string();
        let mut file = Resource::new(ResourceId::new("file", path.as_str())).with("content", "managed");
        std::fs::write(&path, "before").expect("a file");
        file.meta.reverse = true;
        let reversals = Reversals::new(&state);
        let mut observer = PlanRecorder::new(None);
        let options = AgentOptions { state: Some(state), ..AgentOptions::default() };
        let mut agent = Agent::new(options, &mut observer).expect("an agent");
        agent.undo_later(&file);
        assert!(!agent.handle.take_graph_request(), "nothing has to be undone");
        reversals.remember(&file).expect("a reversal");
        agent.undo_later(&file);
        assert!(agent.handle.take_graph_request());
    }
}
