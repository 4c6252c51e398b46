//! Automatic grouping (spec 05 §4.4, spec 06 §4.3): resources that can share one worker become one vertex.
//!
//! A *leader* takes *followers*: one `pkg` takes the others that want the same state, an `http:server` its files. Two
//! vertices may become one only if neither reaches the other, or the graph would get a cycle. Which resources of a kind
//! may be grouped is declared by the kind in its [`Grouping`](crate::Grouping).
//!
//! Candidates are found by a hashed key, never by trying pairs. The set of vertices that the leader reaches, and the set of
//! those that reach it, grow with each follower, so a leader costs at most one walk over the graph. If most followers are
//! refused (as in a long chain of equal resources), that would be quadratic. So after a bounded amount of walking the rest
//! is grouped by level, the length of the longest path to a vertex: vertices of one level never reach each other, however
//! many of them become one.
//!
//! Order (spec 06 §4.3): kinds with more parts first, then kinds and names in descending order. Among resources of one kind
//! the one whose name sorts last therefore leads.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Edge, GroupKey, Meta, Params, Parent, Resource, ResourceGraph, VertexId, all_kinds};

/// Which vertices of a graph run together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// The direct parent of each vertex.
    parent: Vec<Option<VertexId>>,
    /// The direct children of a vertex, in the order in which they were taken.
    children: FxHashMap<VertexId, Vec<VertexId>>,
    /// The root of each vertex' group: for most vertices the vertex itself.
    leader: Vec<VertexId>,
    /// The edges between leaders.
    edges: Vec<Edge>,
}

impl Groups {
    /// Returns the vertex that runs this one: itself, unless it has a parent.
    #[must_use]
    pub fn leader(&self, vertex: VertexId) -> VertexId {
        self.leader[vertex.index()]
    }

    /// Returns the vertices that run, in the order of the graph.
    pub fn leaders(&self) -> impl Iterator<Item = VertexId> {
        self.parent.iter().enumerate().filter(|(_, p)| p.is_none()).map(|(i, _)| VertexId(i as u32))
    }

    /// Returns the direct parent of a vertex, which may have a parent itself.
    #[must_use]
    pub fn parent(&self, vertex: VertexId) -> Option<VertexId> {
        self.parent[vertex.index()]
    }

    /// Returns the direct children of a vertex, in the order in which they are served.
    #[must_use]
    pub fn children(&self, vertex: VertexId) -> &[VertexId] {
        self.children.get(&vertex).map_or(&[], Vec::as_slice)
    }

    /// Returns the vertex with all its descendants, children after their parents.
    #[must_use]
    pub fn members(&self, vertex: VertexId) -> Vec<VertexId> {
        let mut members = vec![vertex];
        let mut next = 0;
        while let Some(member) = members.get(next).copied() {
            members.extend_from_slice(self.children(member));
            next += 1;
        }
        members
    }

    /// Returns the edges between leaders: at most one per pair, which notifies if an edge between any of their members does.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the semaphores of a vertex and all its descendants, sorted and without duplicates.
    #[must_use]
    pub fn semaphores(&self, graph: &ResourceGraph, vertex: VertexId) -> Vec<String> {
        let mut all: Vec<String> =
            self.members(vertex).iter().flat_map(|m| graph.resource(*m).meta.sema.iter().cloned()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Groups the resources of an acyclic graph.
#[must_use]
pub fn autogroup(graph: &ResourceGraph) -> Groups {
    let mut grouper = Grouper::new(graph);
    grouper.group_equals();
    grouper.group_children();
    grouper.finish()
}

/// Resources may be grouped as equals when their keys are equal.
#[derive(PartialEq, Eq, Hash)]
struct Key<'a> {
    kind: &'static str,
    params: GroupKey<'a>,
    meta: MetaKey,
}

/// The meta parameters that must agree, because only the leader's take effect.
#[derive(PartialEq, Eq, Hash)]
struct MetaKey {
    flags: [bool; 6],
    numbers: [i64; 5],
    limit: u64,
}

impl MetaKey {
    fn of(meta: &Meta) -> MetaKey {
        // Each parameter is named, so that a new one compiles only after a decision.
        let &Meta {
            noop,
            retry,
            retryreset,
            delay,
            timeout,
            poll,
            limit,
            burst,
            reset,
            rewatch,
            realize,
            reverse,
            // A group holds the semaphores of all its members, resources with `hidden`, `export` or without `autogroup`
            // are not grouped, and the others have done their work before.
            sema: _,
            dollar: _,
            hidden: _,
            export: _,
            autoedge: _,
            autogroup: _,
        } = meta;
        MetaKey {
            flags: [noop, retryreset, reset, rewatch, realize, reverse],
            numbers: [retry.into(), delay.cast_signed(), timeout.cast_signed(), poll.into(), burst],
            limit: limit.to_bits(),
        }
    }
}

/// Returns the key of a resource among its equals; `None` if it is never grouped with any.
fn key<'a>(params: &Params<'a>) -> Option<Key<'a>> {
    let agreeing = (params.kind().grouping.key)(params)?;
    // A member of a group is never exported.
    if !params.meta().export.is_empty() {
        return None;
    }
    Some(Key { kind: params.kind().name, params: agreeing, meta: MetaKey::of(params.meta()) })
}

/// Which resources grouping looks at.
#[derive(Debug)]
pub(crate) struct Groupable {
    /// The kinds that take children, and those of the children.
    family_kinds: FxHashSet<&'static str>,
}

impl Groupable {
    pub(crate) fn new() -> Groupable {
        let parents = all_kinds().iter().filter_map(|kind| Some((kind.name, kind.grouping.parent?)));
        Groupable { family_kinds: parents.flat_map(|(kind, parent)| [kind, parent.kind]).collect() }
    }

    /// Returns whether a resource may be grouped with others.
    pub(crate) fn contains(&self, resource: &Resource) -> bool {
        let Some(params) = Params::of(resource).filter(|_| participates(resource)) else { return false };
        self.family_kinds.contains(params.kind().name) || key(&params).is_some()
    }
}

fn participates(resource: &Resource) -> bool {
    // A group with such a member would propagate refreshes for all its members.
    resource.meta.autogroup && !resource.meta.hidden && !resource.propagates_refresh
}

/// Returns whether two resources with one id are in the same groups in every graph with the others as they are, provided
/// that they are alike in whether they may be grouped at all.
pub(crate) fn has_same_grouping(a: &Params<'_>, b: &Params<'_>) -> bool {
    let grouping = &a.kind().grouping;
    let is_same_child = |parent: &Parent| a.string(parent.parameter) == b.string(parent.parameter);
    key(a) == key(b)
        && (grouping.may_lead)(a) == (grouping.may_lead)(b)
        && grouping.parent.as_ref().is_none_or(is_same_child)
}

/// A kind whose resources take children, and the kinds of these children.
struct Family {
    kind: &'static str,
    children: Vec<(&'static str, Parent)>,
}

/// Returns the families in the order in which they are grouped, so that a child has taken its own children before it is
/// taken.
fn families() -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for kind in all_kinds() {
        let Some(parent) = kind.grouping.parent else { continue };
        match families.iter_mut().find(|family| family.kind == parent.kind) {
            Some(family) => family.children.push((kind.name, parent)),
            None => families.push(Family { kind: parent.kind, children: vec![(kind.name, parent)] }),
        }
    }
    families.sort_by_key(|family| std::cmp::Reverse((family.kind.split(':').count(), family.kind)));
    families
}

struct Grouper<'a> {
    graph: &'a ResourceGraph,
    parent: Vec<Option<VertexId>>,
    children: FxHashMap<VertexId, Vec<VertexId>>,
    /// A leader with all its descendants; only for leaders with followers.
    flat: FxHashMap<VertexId, Vec<VertexId>>,
    leader: Vec<VertexId>,
    /// The number of vertices that may still be visited before the rest is grouped by level.
    budget: usize,
    /// The last leader that was found to reach each vertex.
    after: Vec<Option<VertexId>>,
    /// The last leader that was found to be reached from each vertex.
    before: Vec<Option<VertexId>>,
}

impl<'a> Grouper<'a> {
    fn new(graph: &'a ResourceGraph) -> Grouper<'a> {
        Grouper {
            graph,
            parent: vec![None; graph.len()],
            children: FxHashMap::default(),
            flat: FxHashMap::default(),
            leader: graph.vertices().collect(),
            budget: 16 * (graph.len() + graph.edge_count()) + 1024,
            after: vec![None; graph.len()],
            before: vec![None; graph.len()],
        }
    }

    fn participates(&self, vertex: VertexId) -> bool {
        participates(self.graph.resource(vertex))
    }

    /// Returns whether a resource may lead a group of its kind.
    fn may_lead(&self, vertex: VertexId) -> bool {
        Params::of(self.graph.resource(vertex)).is_some_and(|params| (params.kind().grouping.may_lead)(&params))
    }

    fn group_equals(&mut self) {
        let mut classes: FxHashMap<Key<'a>, Vec<VertexId>> = FxHashMap::default();
        for (vertex, resource) in self.graph.resources() {
            if self.participates(vertex)
                && let Some(key) = Params::of(resource).and_then(|p| key(&p))
            {
                classes.entry(key).or_default().push(vertex);
            }
        }
        let mut classes: Vec<(Key<'a>, Vec<VertexId>)> = classes.into_iter().filter(|(_, c)| c.len() > 1).collect();
        for (_, class) in &mut classes {
            class.sort_unstable_by_key(|v| std::cmp::Reverse(&*self.graph.resource(*v).id.name));
        }
        // In a fixed order, because the groups of one class restrict those of the next.
        classes.sort_unstable_by_key(|(_, class)| std::cmp::Reverse(&self.graph.resource(class[0]).id));
        let mut leftover: Vec<Vec<VertexId>> = Vec::new();
        for (_, class) in classes {
            let leads: FxHashSet<VertexId> = class.iter().copied().filter(|v| self.may_lead(*v)).collect();
            let mut rest = class;
            while let Some(at) = rest.iter().position(|v| leads.contains(v)) {
                if self.budget == 0 {
                    leftover.push(rest);
                    break;
                }
                let leader = rest.remove(at);
                self.walk_from(leader);
                rest.retain(|follower| !self.try_take(leader, *follower));
            }
        }
        if !leftover.is_empty() {
            self.group_by_level(leftover);
        }
    }

    /// Groups the rest of each class level by level.
    fn group_by_level(&mut self, classes: Vec<Vec<VertexId>>) {
        let level = self.levels();
        for class in classes {
            let mut leaders: FxHashMap<u32, VertexId> = FxHashMap::default();
            for vertex in class {
                match leaders.get(&level[vertex.index()]) {
                    Some(leader) => self.take(*leader, vertex),
                    None if self.may_lead(vertex) => {
                        leaders.insert(level[vertex.index()], vertex);
                    }
                    None => {}
                }
            }
        }
    }

    /// Returns the length of the longest path to each vertex, in the graph as grouped so far.
    fn levels(&self) -> Vec<u32> {
        let leader = |v: VertexId| self.leader[v.index()];
        let mut missing = vec![0_u32; self.graph.len()];
        for edge in self.graph.edges().filter(|e| leader(e.from) != leader(e.to)) {
            missing[leader(edge.to).index()] += 1;
        }
        let mut level = vec![0_u32; self.graph.len()];
        let mut ready: Vec<VertexId> =
            self.graph.vertices().filter(|v| leader(*v) == *v && missing[v.index()] == 0).collect();
        while let Some(vertex) = ready.pop() {
            for member in self.members(vertex) {
                for successor in self.graph.successors(*member).map(leader).filter(|s| *s != vertex) {
                    level[successor.index()] = level[successor.index()].max(level[vertex.index()] + 1);
                    missing[successor.index()] -= 1;
                    if missing[successor.index()] == 0 {
                        ready.push(successor);
                    }
                }
            }
        }
        for vertex in self.graph.vertices() {
            level[vertex.index()] = level[leader(vertex).index()];
        }
        level
    }

    fn group_children(&mut self) {
        for family in families() {
            let mut parents: Vec<VertexId> = Vec::new();
            // By the name of the parent that they ask for; an empty name asks for any.
            let mut children: FxHashMap<Cow<'a, str>, Vec<VertexId>> = FxHashMap::default();
            for (vertex, resource) in self.graph.resources() {
                if !self.participates(vertex) || self.parent[vertex.index()].is_some() {
                    continue;
                }
                let kind = &*resource.id.kind;
                if kind == family.kind {
                    parents.push(vertex);
                } else if let Some((_, parent)) = family.children.iter().find(|(name, _)| *name == kind)
                    && let Some(params) = Params::of(resource)
                {
                    children.entry(params.string(parent.parameter)).or_default().push(vertex);
                }
            }
            parents.sort_unstable_by_key(|v| std::cmp::Reverse(&*self.graph.resource(*v).id.name));
            for parent in parents {
                let name = &*self.graph.resource(parent).id.name;
                let mut candidates: Vec<VertexId> = children.get("").cloned().unwrap_or_default();
                if !name.is_empty() {
                    candidates.extend(children.get(name).into_iter().flatten());
                }
                if candidates.is_empty() {
                    continue;
                }
                candidates.sort_unstable_by_key(|v| std::cmp::Reverse(&self.graph.resource(*v).id));
                self.walk_from(parent);
                for child in candidates {
                    self.try_take(parent, child);
                }
                let parents = &self.parent;
                if let Some(any) = children.get_mut("") {
                    any.retain(|child| parents[child.index()].is_none());
                }
            }
        }
    }

    fn members(&self, leader: VertexId) -> &[VertexId] {
        self.flat.get(&leader).map_or_else(|| &self.leader[leader.index()..=leader.index()], Vec::as_slice)
    }

    /// Marks the vertices that the leader reaches and those that reach it.
    fn walk_from(&mut self, leader: VertexId) {
        self.walk(leader, leader, Direction::After);
        self.walk(leader, leader, Direction::Before);
    }

    fn walk(&mut self, leader: VertexId, start: VertexId, direction: Direction) {
        let mark = Some(leader);
        let mut todo: Vec<VertexId> = vec![start];
        while let Some(vertex) = todo.pop() {
            self.budget = self.budget.saturating_sub(1);
            let members = self.flat.get(&vertex).map_or(std::slice::from_ref(&vertex), Vec::as_slice);
            for member in members {
                let marks = match direction {
                    Direction::After => &mut self.after,
                    Direction::Before => &mut self.before,
                };
                let visit = |next: VertexId| {
                    let next = self.leader[next.index()];
                    if next != leader && next != vertex && marks[next.index()] != mark {
                        marks[next.index()] = mark;
                        todo.push(next);
                    }
                };
                match direction {
                    Direction::After => self.graph.successors(*member).for_each(visit),
                    Direction::Before => self.graph.predecessors(*member).for_each(visit),
                }
            }
        }
    }

    /// Lets the leader, whose reach was marked last, take a follower unless one reaches the other.
    fn try_take(&mut self, leader: VertexId, follower: VertexId) -> bool {
        let mark = Some(leader);
        if follower == leader
            || self.parent[follower.index()].is_some()
            || self.after[follower.index()] == mark
            || self.before[follower.index()] == mark
        {
            return false;
        }
        // The leader now also reaches what the follower reaches.
        self.walk(leader, follower, Direction::After);
        self.walk(leader, follower, Direction::Before);
        self.take(leader, follower);
        true
    }

    fn take(&mut self, leader: VertexId, follower: VertexId) {
        self.parent[follower.index()] = Some(leader);
        self.children.entry(leader).or_default().push(follower);
        let below = self.flat.remove(&follower).unwrap_or_else(|| vec![follower]);
        for vertex in &below {
            self.leader[vertex.index()] = leader;
        }
        self.flat.entry(leader).or_insert_with(|| vec![leader]).extend(below);
    }

    fn finish(self) -> Groups {
        let mut at: FxHashMap<(VertexId, VertexId), usize> = FxHashMap::default();
        let mut edges: Vec<Edge> = Vec::new();
        for edge in self.graph.edges() {
            let (from, to) = (self.leader[edge.from.index()], self.leader[edge.to.index()]);
            if from == to && edge.from != edge.to {
                continue;
            }
            let edge = Edge { from, to, ..edge };
            match at.entry((from, to)) {
                std::collections::hash_map::Entry::Vacant(vacant) => {
                    vacant.insert(edges.len());
                    edges.push(edge);
                }
                std::collections::hash_map::Entry::Occupied(known) => {
                    let known = &mut edges[*known.get()];
                    known.notify |= edge.notify;
                    known.autoedge &= edge.autoedge;
                }
            }
        }
        Groups { parent: self.parent, children: self.children, leader: self.leader, edges }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    After,
    Before,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resource, ResourceId};

    fn resource(kind: &str, name: &str) -> Resource {
        Resource::new(ResourceId::new(kind, name))
    }

    /// Formats groups as `leader: child child`, one per line, sorted.
    fn shown(g: &ResourceGraph, groups: &Groups) -> String {
        let mut lines: Vec<String> = g
            .vertices()
            .filter(|v| !groups.children(*v).is_empty())
            .map(|v| {
                let children: Vec<String> = groups.children(v).iter().map(|c| g.resource(*c).id.to_string()).collect();
                format!("{}: {}", g.resource(v).id, children.join(" "))
            })
            .collect();
        lines.sort();
        lines.join("\n")
    }

    fn graph(resources: Vec<Resource>, edges: &[(usize, usize)]) -> ResourceGraph {
        let mut g = ResourceGraph::new();
        for r in resources {
            g.add(r);
        }
        for (from, to) in edges {
            g.order(VertexId(*from as u32), VertexId(*to as u32));
        }
        g
    }

    #[track_caller]
    fn check(g: &ResourceGraph, expected: &str) -> Groups {
        let groups = autogroup(g);
        assert_eq!(shown(g, &groups), expected);
        groups
    }

    #[test]
    fn the_last_name_leads() {
        let g = graph(vec![resource("print", "b"), resource("print", "a"), resource("print", "c")], &[]);
        let groups = check(&g, "print[c]: print[b] print[a]");
        assert_eq!(groups.leaders().collect::<Vec<_>>(), [VertexId(2)]);
    }

    #[test]
    fn packages_with_one_state_and_no_version_are_grouped() {
        let pkg = |name: &str, state: &str| resource("pkg", name).with("state", state);
        let mut noop = pkg("n", "installed");
        noop.meta.noop = true;
        let g = graph(
            vec![
                pkg("a", "installed"),
                resource("pkg", "b"),
                pkg("c", "newest"),
                pkg("d", "1.0"),
                pkg("e", "1.0"),
                pkg("f", "installed").with("allowuntrusted", true),
                noop,
            ],
            &[],
        );
        check(&g, "pkg[b]: pkg[a]");
    }

    #[test]
    fn ordered_resources_stay_apart_and_edges_move_to_the_leader() {
        // a -> x -> b, c free: c takes b, then a is before it.
        let g = graph(
            vec![resource("noop", "a"), resource("test", "x"), resource("noop", "b"), resource("noop", "c")],
            &[(0, 1), (1, 2)],
        );
        let groups = check(&g, "noop[c]: noop[b]");
        let edges: Vec<(u32, u32)> = groups.edges().iter().map(|e| (e.from.0, e.to.0)).collect();
        assert_eq!(edges, [(0, 1), (1, 3)]);
    }

    #[test]
    fn excluded_resources_are_not_grouped() {
        let mut off = resource("noop", "a");
        off.meta.autogroup = false;
        let mut hidden = resource("noop", "h");
        hidden.meta.hidden = true;
        let refresh = resource("print", "p").with("refresh_only", true);
        let g = graph(
            vec![
                off,
                hidden,
                resource("noop", "b"),
                refresh,
                resource("print", "q"),
                resource("svc", "s"),
                resource("svc", "t"),
            ],
            &[],
        );
        check(&g, "");
    }

    #[test]
    fn tests_group_only_below_one_with_alwaysgroup() {
        let g = graph(vec![resource("test", "b"), resource("test", "a").with("alwaysgroup", true)], &[]);
        check(&g, "test[a]: test[b]");
        check(&graph(vec![resource("test", "b"), resource("test", "a")], &[]), "");
    }

    #[test]
    fn servers_take_their_children() {
        let g = graph(
            vec![
                resource("http:server", ":1"),
                resource("http:server", ":2"),
                resource("http:server:file", "/a").with("server", ":1"),
                resource("http:server:file", "/b"),
                resource("http:server:flag", "/f").with("server", ":1"),
                resource("http:server:flag", "f2").with("server", ":1").with("path", "/f"),
                resource("http:server:ui", "/ui/").with("server", ":1"),
                resource("http:server:ui:input", "i"),
                resource("http:server:file", "/lost").with("server", ":9"),
            ],
            &[],
        );
        let groups = check(
            &g,
            "http:server:flag[f2]: http:server:flag[/f]\n\
             http:server:ui[/ui/]: http:server:ui:input[i]\n\
             http:server[:1]: http:server:ui[/ui/] http:server:flag[f2] http:server:file[/a]\n\
             http:server[:2]: http:server:file[/b]",
        );
        assert_eq!(groups.leader(VertexId(7)), VertexId(0));
        assert_eq!(groups.members(VertexId(0)).len(), 6);
        assert_eq!(groups.leaders().count(), 3);
    }

    #[test]
    fn semaphores_of_members_are_held_too() {
        let mut a = resource("noop", "a");
        a.meta.sema = vec!["x".into(), "y".into()];
        let mut b = resource("noop", "b");
        b.meta.sema = vec!["y".into()];
        let g = graph(vec![a, b], &[]);
        assert_eq!(autogroup(&g).semaphores(&g, VertexId(1)), ["x", "y"]);
    }

    #[test]
    fn a_long_chain_is_grouped_in_linear_time_and_stays_acyclic() {
        let n = 20_000;
        let mut resources: Vec<Resource> = (0..n).map(|i| resource("noop", &format!("{i:06}"))).collect();
        resources.extend((0..n).map(|i| resource("print", &format!("{i:06}"))));
        // Two chains beside each other, with the prints between them: level by level one print can join.
        let mut edges: Vec<(usize, usize)> = (1..n).map(|i| (i - 1, i)).collect();
        edges.extend((1..n).map(|i| (n + i - 1, n + i)));
        let g = graph(resources, &edges);
        let groups = autogroup(&g);
        let mut contracted = ResourceGraph::new();
        for (_, r) in g.resources() {
            contracted.add(r.clone());
        }
        groups.edges().iter().for_each(|e| contracted.add_edge(*e));
        assert!(contracted.topological_order().is_ok());
    }
}
