//! What a vertex depends on, for agents that have to explain its results.

use resource_graph::ResourceId;

use crate::engine::Engine;
use crate::key::VertexKey;

impl Engine {
    /// Returns the vertices that are checked before this one. Of each, whether it must succeed; the others come first only because
    /// both have an exclusive name in common.
    pub fn predecessors(&self, key: VertexKey) -> impl Iterator<Item = (VertexKey, bool)> {
        let above = self.get(key).into_iter().flat_map(|vertex| &vertex.predecessors).map(|(above, _)| *above);
        above.map(move |above| (above, !self.order_edges.contains(&(above, key))))
    }

    /// Returns the resources whose changes are the reason for the refresh by the running check.
    pub fn notified_by(&self, key: VertexKey) -> impl Iterator<Item = &ResourceId> {
        self.get(key).into_iter().flat_map(|vertex| vertex.taken_notifications.iter())
    }
}

#[cfg(test)]
mod tests {
    use crate::test_agent::{TestAgent, resource};

    #[test]
    fn running_check_knows_what_it_depends_on_and_who_notified_it() {
        let names = ["changed", "unchanged", "leaf"];
        let mut agent = TestAgent::start(names.map(resource).to_vec(), &[(0, 2, true), (1, 2, true)]);
        agent.finish("changed", true);
        agent.finish("unchanged", false);
        let leaf = agent.key("leaf");
        let mut above: Vec<_> = agent.engine.predecessors(leaf).collect();
        above.sort();
        assert_eq!(above, [(agent.key("changed"), true), (agent.key("unchanged"), true)]);
        let notified: Vec<_> = agent.engine.notified_by(leaf).map(|id| id.name.to_string()).collect();
        assert_eq!(notified, ["changed"]);
        assert_eq!(agent.engine.predecessors(agent.key("changed")).count(), 0);
    }
}
