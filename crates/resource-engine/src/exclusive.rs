//! The order of vertices that have an exclusive name in common, such as the file that several resources edit.
//!
//! What they make of it depends on their order. A running agent takes them as they become ready, because none may wait for one
//! that fails. An engine that checks everything once takes them in the order of the graph, so that a plan and its application
//! agree however long other checks take: edges say so, until nothing else can be done.

use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::graph::EngineGraph;
use crate::key::VertexKey;
use crate::patch_edges::{add_neighbour, forget_neighbour};

impl Engine {
    /// Adds the edges that order vertices, if everything is checked once. `keys` has the key of each group.
    pub(super) fn order_exclusive(&mut self, graph: &EngineGraph, keys: &[VertexKey]) {
        self.order_edges.clear();
        let Some(exclusive) = self.config.exclusive.filter(|_| self.config.once) else { return };
        let mut last: FxHashMap<String, VertexKey> = FxHashMap::default();
        for group in &graph.order {
            let to = keys[*group as usize];
            // What it needs for itself is among its semaphores.
            if self.get(to).is_none_or(|vertex| vertex.semaphores.is_empty()) {
                continue;
            }
            for name in graph.groups[*group as usize].iter().flat_map(exclusive) {
                let Some(from) = last.insert(name, to).filter(|from| *from != to) else { continue };
                if self.get_mut(from).is_some_and(|vertex| add_neighbour(&mut vertex.successors, to, false)) {
                    if let Some(vertex) = self.get_mut(to) {
                        add_neighbour(&mut vertex.predecessors, from, false);
                    }
                    self.order_edges.insert((from, to));
                }
            }
        }
    }

    /// Once nothing else can be done, lets the vertices start that wait for their turn only.
    pub(super) fn end_order(&mut self) {
        while !self.order_edges.is_empty() && self.is_quiet() {
            self.cut_order_edges();
            self.run_queue();
        }
    }

    /// Removes the edges that order vertices.
    pub(super) fn cut_order_edges(&mut self) {
        for (from, to) in std::mem::take(&mut self.order_edges) {
            let Some(vertex) = self.get_mut(from) else { continue };
            let is_settled = vertex.settled;
            if forget_neighbour(&mut vertex.successors, to).is_some() {
                self.edge_count -= 1;
                self.lose_predecessor(to, from, is_settled);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;
    use resource_graph::Resource;

    use crate::Config;
    use crate::test_agent::{TestAgent, resource};

    fn edit(name: &str, file: &str) -> Resource {
        let mut resource = resource(name);
        resource.params.insert("file".into(), Value::str(file));
        resource
    }

    fn files(resource: &Resource) -> Vec<String> {
        resource.params.get("file").map(|file| file.to_string()).into_iter().collect()
    }

    /// An agent with two edits of a file, `a` after `slow` and `b` after `fast`.
    fn agent(once: bool) -> TestAgent {
        let mut agent = TestAgent::new(Config { once, exclusive: Some(files), ..Config::default() });
        let resources = vec![resource("slow"), resource("fast"), edit("a", "x"), edit("b", "x"), edit("c", "x")];
        agent.swap(resources, &[(0, 2, false), (1, 3, false), (1, 4, false)]);
        agent.expect(&["slow", "fast"]);
        agent.finish("fast", true);
        agent
    }

    #[test]
    fn checks_of_everything_once_keep_the_order_of_the_graph() {
        let mut agent = agent(true);
        let above: Vec<_> = agent.engine.predecessors(agent.key("b")).collect();
        assert_eq!(above, [(agent.key("fast"), true), (agent.key("a"), false)]);
        agent.finish("slow", true);
        agent.finish("a", true);
        agent.finish("b", true);
        agent.expect(&["a", "b", "c"]);
    }

    #[test]
    fn checks_of_a_running_agent_start_when_they_are_ready() {
        let mut agent = agent(false);
        agent.expect(&["b"]);
    }

    #[test]
    fn a_failure_holds_up_only_what_depends_on_it() {
        let mut agent = agent(true);
        agent.fail("slow");
        agent.expect(&["slow failed: no (exhausted)", "b"]);
        agent.finish("b", false);
        agent.expect(&["c"]);
        agent.settle();
        let blocked: Vec<_> = agent.engine.blocked().collect();
        assert_eq!(blocked, [(agent.key("a"), agent.key("slow"))]);
    }
}
