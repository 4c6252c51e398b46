//! Replacing the running graph by a new one (spec 06 §1.7, spec 06 §1.8).

use std::sync::Arc;

use resource_graph::{Resource, ResourceId, difference, hides_same};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Engine;
use crate::event::{Command, Report};
use crate::graph::{EngineGraph, Group};
use crate::key::VertexKey;
use crate::vertex::{Condition, Incoming, Vertex, WatchState};

impl Engine {
    pub(super) fn swap(&mut self, graph: EngineGraph) {
        if self.stopping.is_some() {
            return;
        }
        let keys = self.match_vertices(&graph);
        let kept: FxHashSet<VertexKey> = keys.iter().copied().flatten().collect();
        let undelivered = self.take_undelivered(&kept);
        let removed: Vec<VertexKey> = self.live().map(|(key, _)| key).filter(|key| !kept.contains(key)).collect();
        for key in removed {
            self.remove(key);
        }
        self.prune_queues();
        let kept_count = kept.len();
        let new = graph.groups.len().saturating_sub(kept_count + self.free.len());
        self.vertices.reserve(new);
        self.by_id.reserve(new, &self.vertices);
        let keys: Vec<VertexKey> =
            graph.groups.iter().zip(keys).map(|(group, key)| key.unwrap_or_else(|| self.add(group.clone()))).collect();
        self.connect(&graph, &keys);
        self.restore_notifications(undelivered);
        self.record_new_targets(&keys);
        self.prune_retry_counts();
        self.semaphores.prune();
        self.total = keys.len();
        self.edge_count = graph.edges.len() + self.order_edges.len();
        self.has_graph = true;
        self.note_activity();
        self.commands.push(Command::Report(Report::Swapped {
            vertices: keys.len(),
            kept: kept_count,
            edges: graph.edges.len(),
        }));
    }

    /// Returns, for each new group, the running vertex that is equal to it.
    fn match_vertices(&self, graph: &EngineGraph) -> Vec<Option<VertexKey>> {
        let mut matched = FxHashSet::default();
        let received = self.received_parameters(graph);
        let find = |(index, group): (usize, &Group)| {
            let candidates = self.by_id.find(&group[0].id, &self.vertices);
            let equal = candidates.filter(|key| {
                let Some(old) = self.get(*key) else { return false };
                let still_receives = || {
                    let mut parameters = old.flow().received.iter();
                    parameters.all(|r| received.contains(&(index as u32, r.member, &*r.key)))
                };
                !matched.contains(key) && still_receives() && old.matches(group)
            });
            let key = equal.min()?;
            matched.insert(key);
            Some(key)
        };
        graph.groups.iter().enumerate().map(find).collect()
    }

    /// Returns the parameters that receive a value in the new graph. A vertex that received one and no longer does is
    /// replaced, because its implementation keeps the value.
    fn received_parameters<'g>(&self, graph: &'g EngineGraph) -> FxHashSet<(u32, usize, &'g str)> {
        graph.transfers.iter().map(|transfer| (transfer.to.0, transfer.to.1, &*transfer.to_key)).collect()
    }

    fn add(&mut self, group: Group) -> VertexKey {
        let key = self.next_key();
        self.add_with_key(key, group);
        key
    }

    /// Returns a key that no vertex has.
    pub(super) fn next_key(&mut self) -> VertexKey {
        self.free.pop().unwrap_or_else(|| {
            self.vertices.push(None);
            VertexKey((self.vertices.len() - 1) as u32)
        })
    }

    /// Adds a vertex that is not connected to others. No vertex may have its key.
    pub(super) fn add_with_key(&mut self, key: VertexKey, group: Group) {
        if group[0].meta.reset {
            self.retry_counts.remove(&group[0].id);
        }
        let refreshable = self.config.refreshable.is_some_and(|f| f(&group[0]));
        for member in &group[1..] {
            self.by_member.entry(member.id.clone()).or_default().push(key);
        }
        let exclusive = self.config.exclusive.iter().flat_map(|exclusive| group.iter().flat_map(exclusive));
        // The size, because a name may end with a number after a colon.
        let exclusive: Vec<Arc<str>> = exclusive.map(|name| format!("{name}:1").into()).collect();
        let vertex = Vertex::new(group, refreshable, exclusive, self.common_semaphore.as_ref(), self.now);
        self.vertices[key.index()] = Some(vertex);
        self.by_id.insert(key, &self.vertices);
        self.active += 1;
        self.conditions[Condition::Waiting as usize] += 1;
        self.removals.added.push_back(key);
    }

    pub(super) fn remove(&mut self, key: VertexKey) {
        self.release_semaphores_of_waiting(key);
        let Some(vertex) = self.get_mut(key) else { return };
        vertex.retiring = true;
        // The keys in these lists may be reused while the last check still runs.
        vertex.successors.clear();
        vertex.predecessors.clear();
        vertex.disconnect();
        vertex.poll_at = None;
        let running = vertex.is_running();
        let has_watches = vertex.created && matches!(vertex.watch, WatchState::Starting | WatchState::Active);
        let was_active = std::mem::replace(&mut vertex.active, false);
        let counted_as = vertex.counted_as;
        let group = vertex.group.clone();
        self.to_revive.remove(&key);
        self.active -= usize::from(was_active);
        self.conditions[counted_as as usize] -= 1;
        self.by_id.remove(key, &self.vertices);
        for member in &group[1..] {
            forget_key(&mut self.by_member, &member.id, key);
        }
        if has_watches {
            self.commands.push(Command::Unwatch(key));
        }
        if running {
            self.retire(key);
        } else {
            self.release_targets(key);
            self.discard(key);
        }
    }

    /// Sets the edges and transfers of the whole graph, and the counts that follow from them.
    fn connect(&mut self, graph: &EngineGraph, keys: &[VertexKey]) {
        for (position, key) in keys.iter().enumerate() {
            let vertex = self.vertices[key.index()].as_mut().expect("kept or added");
            vertex.position = position as u32;
            vertex.successors.clear();
            vertex.predecessors.clear();
            vertex.disconnect();
        }
        for edge in &graph.edges {
            let (from, to) = (keys[edge.from as usize], keys[edge.to as usize]);
            self.vertices[from.index()].as_mut().expect("kept or added").successors.push((to, edge.notify));
            self.vertices[to.index()].as_mut().expect("kept or added").predecessors.push((from, edge.notify));
        }
        self.order_exclusive(graph, keys);
        for transfer in &graph.transfers {
            let (from, to) = (keys[transfer.from.0 as usize], keys[transfer.to.0 as usize]);
            self.vertices[to.index()].as_mut().expect("kept or added").flow_mut().incoming.push(Incoming {
                from,
                from_member: transfer.from.1,
                from_key: transfer.from_key.clone(),
                member: transfer.to.1,
                key: transfer.to_key.clone(),
            });
        }
        for group in &graph.order {
            let key = keys[*group as usize];
            let vertex = self.get(key).expect("kept or added");
            let unsettled = vertex.predecessors.iter().filter(|(p, _)| self.get(*p).is_none_or(|p| !p.settled)).count();
            let vertex = self.get_mut(key).expect("kept or added");
            vertex.unsettled_predecessors = unsettled as u32;
            vertex.settled = vertex.is_good() && unsettled == 0;
        }
        // A new transfer may send another value to a receiver that did not change.
        for group in &graph.order {
            self.wake_receivers(keys[*group as usize]);
            self.touch(keys[*group as usize]);
        }
    }

    fn prune_retry_counts(&mut self) {
        let (by_id, vertices) = (&self.by_id, &self.vertices);
        self.retry_counts.retain(|id, _| by_id.find(id, vertices).next().is_some());
    }
}

fn forget_key(index: &mut FxHashMap<ResourceId, Vec<VertexKey>>, id: &ResourceId, key: VertexKey) {
    if let Some(keys) = index.get_mut(id) {
        keys.retain(|k| *k != key);
        if keys.is_empty() {
            index.remove(id);
        }
    }
}

impl Vertex {
    /// Whether the vertex stays as it is when a new graph contains this group.
    pub(super) fn matches(&self, group: &Group) -> bool {
        let revived = self.is_exhausted() && (self.meta().rewatch || group[0].meta.rewatch);
        !revived && is_same_group(&self.group, group)
    }
}

/// Whether the declared state of two groups is the same, and the same of it may be shown.
fn is_same_group(a: &Group, b: &Group) -> bool {
    let is_same = |a: &Resource, b: &Resource| hides_same(a, b) && difference(a, b).is_none();
    a.is_identical(b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| is_same(a, b)))
}
