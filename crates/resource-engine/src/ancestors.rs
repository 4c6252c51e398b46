//! What a vertex depends on, directly or not.

use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::key::VertexKey;

impl Engine {
    /// Returns a vertex with this property that must succeed before `key` is checked, one of the nearest; `None` if there is
    /// none. Takes time linear in the number of vertices and edges above.
    #[must_use]
    pub fn nearest_ancestor(&self, key: VertexKey, has_property: impl Fn(VertexKey) -> bool) -> Option<VertexKey> {
        let mut seen = FxHashSet::default();
        let mut level = vec![key];
        while !level.is_empty() {
            let above = level.iter().filter_map(|key| self.get(*key)).flat_map(|vertex| &vertex.predecessors);
            let above: Vec<VertexKey> = above.map(|(key, _)| *key).filter(|key| seen.insert(*key)).collect();
            if let Some(found) = above.iter().find(|key| has_property(**key)) {
                return Some(*found);
            }
            level = above;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::test_agent::{TestAgent, resource};

    #[test]
    fn nearest_of_several_ancestors_is_returned() {
        let names = ["far", "near", "other", "leaf"];
        let edges = [(0, 1, false), (1, 3, false), (2, 3, false)];
        let agent = TestAgent::start(names.map(resource).to_vec(), &edges);
        let key = |name: &str| agent.key(name);
        let find = |of: &str, wanted: &[&str]| {
            let wanted: Vec<_> = wanted.iter().map(|name| key(name)).collect();
            agent.engine.nearest_ancestor(key(of), |key| wanted.contains(&key))
        };
        assert_eq!(find("leaf", &["far"]), Some(key("far")));
        assert_eq!(find("leaf", &["far", "near"]), Some(key("near")));
        assert_eq!(find("near", &["other", "leaf"]), None);
        assert_eq!(find("far", &["far"]), None);
    }
}
