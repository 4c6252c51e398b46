//! The order in which a plan lists resources.

use std::collections::HashMap;

use resource_graph::ResourceId;
use runtime::EngineGraph;

/// Returns the place of each resource in a list in which it comes after all its prerequisites, and otherwise in the order of
/// the program. Unlike the order of the checks, it is the same in each run.
pub fn places(graph: &EngineGraph) -> HashMap<ResourceId, usize> {
    let groups = graph.groups();
    let source_key = |group: u32| {
        let leader = &groups[group as usize][0];
        (leader.span, &leader.id)
    };
    let mut prerequisites: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for edge in graph.edges() {
        prerequisites[edge.to as usize].push(edge.from);
    }
    let mut sorted: Vec<u32> = (0..groups.len() as u32).collect();
    sorted.sort_by_key(|group| source_key(*group));

    let mut places = HashMap::new();
    let mut is_seen = vec![false; groups.len()];
    for root in sorted {
        // Each group is found once, and listed when all its prerequisites are.
        let mut pending = vec![(root, false)];
        while let Some((group, is_ready)) = pending.pop() {
            if is_ready {
                for member in groups[group as usize].iter() {
                    let place = places.len();
                    places.insert(member.id.clone(), place);
                }
                continue;
            }
            if std::mem::replace(&mut is_seen[group as usize], true) {
                continue;
            }
            pending.push((group, true));
            let mut first: Vec<u32> = std::mem::take(&mut prerequisites[group as usize]);
            first.sort_by_key(|group| source_key(*group));
            pending.extend(first.into_iter().rev().map(|group| (group, false)));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use resource_graph::{Edge, Resource, ResourceGraph, VertexId};
    use runtime::{finalize, local_host};

    use super::*;

    /// Returns the names of the resources in the order of the list. Names are in the order of the program.
    fn listed(names: &[&str], edges: &[(u32, u32)]) -> String {
        let mut graph = ResourceGraph::new();
        for name in names {
            graph.add(Resource::new(ResourceId::new("value", *name)));
        }
        for &(from, to) in edges {
            graph.add_edge(Edge { from: VertexId(from), to: VertexId(to), notify: false, autoedge: false });
        }
        let places = places(&finalize(graph, &local_host()).expect("no cycle").engine);
        let mut names: Vec<&&str> = names.iter().collect();
        names.sort_by_key(|name| places[&ResourceId::new("value", **name)]);
        names.into_iter().copied().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn prerequisites_come_first_and_the_rest_in_order() {
        assert_eq!(listed(&["a", "b", "c"], &[]), "a b c");
        assert_eq!(listed(&["a", "b", "c", "d"], &[(3, 0), (2, 0)]), "c d a b");
        // `b` comes right before what needs it first.
        assert_eq!(listed(&["a", "b", "c", "d"], &[(3, 2), (2, 1)]), "a d c b");
        assert_eq!(listed(&["a", "b", "c", "d"], &[(0, 1), (0, 2), (1, 3), (2, 3)]), "a b c d");
    }

    #[test]
    fn long_chain_is_listed_without_recursion() {
        let names: Vec<String> = (0..100_000).map(|i| format!("{i:06}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let edges: Vec<(u32, u32)> = (1..100_000).map(|i| (i, i - 1)).collect();
        assert!(listed(&names, &edges).starts_with("099999 099998"));
    }
}
