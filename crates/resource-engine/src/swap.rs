//! Replacing the running graph by a new one (spec 06 §1.7, spec 06 §1.8).

use std::collections::BTreeSet;

use resource_graph::{ResourceId, difference};
use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::event::{Command, Report};
use crate::graph::{EngineGraph, Group};
use crate::key::VertexKey;
use crate::vertex::{Incoming, Vertex, WatchState};

impl Engine {
    pub(super) fn swap(&mut self, graph: EngineGraph) {
        if self.stopping.is_some() {
            return;
        }
        let keys = self.match_vertices(&graph);
        let kept: FxHashSet<VertexKey> = keys.iter().copied().flatten().collect();
        let notifications = self.pending_notifications(&kept);
        let removed: Vec<VertexKey> = self.live().map(|(key, _)| key).filter(|key| !kept.contains(key)).collect();
        self.swapping = true;
        for key in removed {
            self.remove(key);
        }
        let kept_count = kept.len();
        let new = graph.groups.len().saturating_sub(kept_count + self.free.len());
        self.vertices.reserve(new);
        self.by_id.reserve(new);
        let keys: Vec<VertexKey> =
            graph.groups.iter().zip(keys).map(|(group, key)| key.unwrap_or_else(|| self.add(group.clone()))).collect();
        self.connect(&graph, &keys);
        self.swapping = false;
        self.restore_notifications(notifications);
        self.prune_retry_counts(&graph);
        self.total = keys.len();
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
        let find = |group: &Group| {
            let candidates = self.by_id.get(&group[0].id)?;
            let mut equal = candidates.iter().filter(|key| {
                let Some(old) = self.get(**key) else { return false };
                let revived = old.exhausted && (old.meta().rewatch || group[0].meta.rewatch);
                !revived && !matched.contains(*key) && is_same_group(&old.group, group)
            });
            let key = *equal.next()?;
            matched.insert(key);
            Some(key)
        };
        graph.groups.iter().map(find).collect()
    }

    fn add(&mut self, group: Group) -> VertexKey {
        let id = group[0].id.clone();
        if group[0].meta.reset {
            self.retry_counts.remove(&id);
        }
        let refreshable = self.config.refreshable.is_some_and(|f| f(&group[0]));
        let mut vertex = Vertex::new(group, refreshable, self.now);
        if let Some(limit) = self.config.max_parallel {
            vertex.semaphores.insert(0, format!(":{limit}").into());
            vertex.semaphores.sort();
            vertex.semaphores.dedup();
        }
        let key = self.free.pop().unwrap_or_else(|| {
            self.vertices.push(None);
            VertexKey((self.vertices.len() - 1) as u32)
        });
        self.vertices[key.index()] = Some(vertex);
        self.active += 1;
        self.by_id.entry(id).or_default().push(key);
        self.waiting_for_removals.push_back(key);
        key
    }

    fn remove(&mut self, key: VertexKey) {
        self.release_semaphores_of_waiting(key);
        let Some(vertex) = self.get_mut(key) else { return };
        vertex.retiring = true;
        // The keys in these lists may be reused while the last check still runs.
        vertex.successors.clear();
        vertex.predecessors.clear();
        vertex.incoming.clear();
        vertex.poll_at = None;
        let running = vertex.is_running();
        let has_watches =
            vertex.created && !matches!(vertex.watch, WatchState::WaitingForRemovals) && !vertex.exhausted;
        let was_active = std::mem::replace(&mut vertex.active, false);
        let id = vertex.id().clone();
        self.active -= usize::from(was_active);
        if let Some(keys) = self.by_id.get_mut(&id) {
            keys.retain(|k| *k != key);
            if keys.is_empty() {
                self.by_id.remove(&id);
            }
        }
        if has_watches {
            self.commands.push(Command::Unwatch(key));
        }
        if running {
            self.retiring += 1;
        } else {
            self.discard(key);
        }
    }

    fn discard(&mut self, key: VertexKey) {
        let vertex = self.vertices[key.index()].take();
        self.free.push(key);
        if vertex.is_some_and(|v| v.created) {
            self.commands.push(Command::Remove(key));
        }
    }

    /// Discards a removed vertex after its last check.
    pub(super) fn end_retirement(&mut self, key: VertexKey) {
        if self.get(key).is_some_and(|v| v.retiring && !v.is_running()) {
            self.discard(key);
            self.retiring -= 1;
        }
    }

    pub(super) fn may_start_added(&self) -> bool {
        self.retiring == 0 && self.stopping.is_none()
    }

    /// Lets one of the added vertices begin, when all removed ones have ended; `false` when none is left to.
    pub(super) fn start_added(&mut self) -> bool {
        if !self.may_start_added() {
            return false;
        }
        let Some(key) = self.waiting_for_removals.pop_front() else { return false };
        // One that was removed meanwhile may have left its slot to another.
        if self.get(key).is_some_and(|v| v.watch == WatchState::WaitingForRemovals && !v.retiring) {
            self.start_watching(key);
        }
        true
    }

    /// Sets the edges and transfers of the whole graph, and the counts that follow from them.
    fn connect(&mut self, graph: &EngineGraph, keys: &[VertexKey]) {
        for key in keys {
            let vertex = self.vertices[key.index()].as_mut().expect("kept or added");
            vertex.successors.clear();
            vertex.predecessors.clear();
            vertex.incoming.clear();
        }
        for edge in &graph.edges {
            let (from, to) = (keys[edge.from as usize], keys[edge.to as usize]);
            self.vertices[from.index()].as_mut().expect("kept or added").successors.push((to, edge.notify));
            self.vertices[to.index()].as_mut().expect("kept or added").predecessors.push(from);
        }
        for transfer in &graph.transfers {
            let (from, to) = (keys[transfer.from.0 as usize], keys[transfer.to.0 as usize]);
            self.vertices[to.index()].as_mut().expect("kept or added").incoming.push(Incoming {
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
            let unsettled = vertex.predecessors.iter().filter(|p| self.get(**p).is_none_or(|p| !p.settled)).count();
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

    /// Returns the notifications that were not delivered: those of the running graph, those of removed vertices that failed
    /// after a change, and before the first graph those of an earlier run.
    fn pending_notifications(&mut self, kept: &FxHashSet<VertexKey>) -> Vec<(ResourceId, ResourceId)> {
        let mut pairs = std::mem::take(&mut self.config.undelivered);
        for (key, vertex) in self.live() {
            if vertex.unreported_change && !vertex.is_running() && !kept.contains(&key) {
                pairs.extend(vertex.recorded_targets.iter().map(|to| (vertex.id().clone(), to.clone())));
            }
            let pending = vertex.pending_notifications.iter().chain(&vertex.taken_notifications);
            pairs.extend(pending.map(|from| (from.clone(), vertex.id().clone())));
        }
        pairs
    }

    /// Makes notifications pending again where the edge still exists, and deletes the records of the others.
    pub(super) fn restore_notifications(&mut self, pairs: Vec<(ResourceId, ResourceId)>) {
        for (from, to) in pairs {
            let source = self.by_id.get(&from).and_then(|keys| keys.first()).and_then(|key| self.get(*key));
            let targets: BTreeSet<VertexKey> = source.map_or_else(BTreeSet::new, |s| {
                s.successors.iter().filter(|(_, notify)| *notify).map(|(key, _)| *key).collect()
            });
            let here = self.by_id.get(&to).into_iter().flatten();
            let reached =
                here.copied().find(|key| targets.contains(key) && self.get(*key).is_some_and(Vertex::listens));
            let Some(key) = reached else {
                self.commands.push(Command::Delivered { from, to });
                continue;
            };
            let vertex = self.get_mut(key).expect("looked up above");
            let is_handled = vertex.is_running() && vertex.taken_notifications.contains(&from);
            if !is_handled && vertex.pending_notifications.insert(from) {
                vertex.dirty |= !vertex.exhausted;
                self.touch(key);
            }
        }
    }

    fn prune_retry_counts(&mut self, graph: &EngineGraph) {
        if !self.retry_counts.is_empty() {
            let present: FxHashSet<&ResourceId> = graph.groups.iter().map(|g| &g[0].id).collect();
            self.retry_counts.retain(|id, _| present.contains(id));
        }
    }
}

/// Whether the declared state of two groups is the same.
fn is_same_group(a: &Group, b: &Group) -> bool {
    a.is_identical(b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| difference(a, b).is_none()))
}
