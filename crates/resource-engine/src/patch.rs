//! Changing a part of the running graph while the rest stays (spec 06 §1.8).
//!
//! The result is that of a swap to a graph that differs in this part alone. The cost is proportional to the size of the part
//! and to what it is connected to, not to the size of the graph. The edges of the vertices concerned are changed by
//! `patch_edges.rs`.

use resource_graph::ResourceId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Engine;
use crate::event::{Command, Report};
use crate::graph::Group;
use crate::graph_patch::GraphPatch;
use crate::key::VertexKey;
use crate::notify::Fate;
use crate::vertex::{Incoming, Neighbours};

/// A vertex that is replaced, with what it is connected to.
struct Replaced {
    group: Group,
    position: u32,
    old: VertexKey,
    /// The key of the new vertex: the same one, unless a check of the old vertex runs.
    new: VertexKey,
    was_settled: bool,
    successors: Neighbours,
    predecessors: Neighbours,
    incoming: Vec<Incoming>,
}

impl Engine {
    /// Makes the changes of a patch.
    pub(super) fn patch(&mut self, patch: GraphPatch) {
        if self.stopping.is_some() {
            return;
        }
        self.cut_order_edges();
        let GraphPatch { replaced, removed, added, removed_edges, added_edges } = patch;
        let gone_ids = removed;
        let removed: FxHashSet<VertexKey> = gone_ids.iter().filter_map(|id| self.only_vertex_of(id)).collect();
        let mut replaced = self.find_replaced(replaced, &removed);
        let mut keys: Vec<VertexKey> =
            replaced.iter().map(|vertex| vertex.old).chain(removed.iter().copied()).collect();
        keys.sort_unstable();
        let mut undelivered = Vec::new();
        for key in &keys {
            self.take_notifications(*key, Fate::Removed, &mut undelivered);
        }
        for to in self.cut_edges(&removed_edges) {
            self.take_notifications(to, Fate::Kept, &mut undelivered);
        }
        for key in &removed {
            self.cut_off(*key);
        }
        for vertex in &mut replaced {
            self.take_connections(vertex);
        }
        let free = self.free.len();
        for key in keys {
            self.remove(key);
        }
        self.prune_queues();
        // The keys of the replaced vertices that are gone already are used again at once.
        let gone = self.free.split_off(free);
        self.free.extend(gone.into_iter().filter(|key| removed.contains(key)));
        for vertex in &mut replaced {
            if self.get(vertex.old).is_some() {
                vertex.new = self.next_key();
            }
            self.add_with_key(vertex.new, vertex.group.clone());
        }
        let added: Vec<VertexKey> = added.into_iter().filter_map(|group| self.add_unknown(group)).collect();
        self.reconnect(&mut replaced);
        let refreshed = self.join_edges(&added_edges);
        self.restore_notifications(undelivered);
        for key in replaced.iter().map(|vertex| vertex.new).chain(refreshed) {
            self.record_new_target(key);
        }
        added.iter().for_each(|key| self.touch(*key));
        gone_ids.iter().for_each(|id| self.forget_retries(id));
        self.semaphores.prune_if_grown();
        self.total = self.total + added.len() - removed.len();
        self.note_activity();
        let (vertices, kept) = (self.total, self.total - replaced.len() - added.len());
        self.commands.push(Command::Report(Report::Swapped { vertices, kept, edges: self.edge_count }));
    }

    /// Forgets the used attempts of a resource that left the graph.
    fn forget_retries(&mut self, id: &ResourceId) {
        if self.by_id.find(id, &self.vertices).next().is_none() {
            self.retry_counts.remove(id);
        }
    }

    /// Adds a vertex without edges, unless there is one with its id.
    fn add_unknown(&mut self, group: Group) -> Option<VertexKey> {
        if self.by_id.find(&group[0].id, &self.vertices).next().is_some() {
            return None;
        }
        let key = self.next_key();
        self.add_with_key(key, group);
        Some(key)
    }

    /// Returns the vertices that a swap would replace: those whose group is another one now, and those that start again with
    /// each graph; in the order of the graph.
    fn find_replaced(&self, groups: Vec<Group>, removed: &FxHashSet<VertexKey>) -> Vec<Replaced> {
        let mut found = removed.clone();
        let with_key = groups.into_iter().filter_map(|group| {
            let key = self.only_vertex_of(&group[0].id)?;
            let stays = self.get(key)?.matches(&group);
            (!stays && found.insert(key)).then_some((key, group))
        });
        let mut replaced: Vec<(VertexKey, Group)> = with_key.collect();
        let revived = self.to_revive.iter().filter(|key| !found.contains(*key));
        replaced.extend(revived.filter_map(|key| Some((*key, self.get(*key)?.group.clone()))));
        let make = |(old, group)| {
            let vertex = self.get(old)?;
            Some(Replaced {
                group,
                position: vertex.position,
                old,
                new: old,
                was_settled: vertex.settled,
                successors: Neighbours::new(),
                predecessors: Neighbours::new(),
                incoming: Vec::new(),
            })
        };
        let mut replaced: Vec<Replaced> = replaced.into_iter().filter_map(make).collect();
        replaced.sort_unstable_by_key(|vertex| vertex.position);
        replaced
    }

    /// Returns the vertex whose leader has this id, if there is one and no other.
    fn only_vertex_of(&self, id: &ResourceId) -> Option<VertexKey> {
        let mut keys = self.by_id.find(id, &self.vertices);
        let only = keys.next();
        only.filter(|_| keys.next().is_none())
    }

    fn take_connections(&mut self, replaced: &mut Replaced) {
        let Some(vertex) = self.get_mut(replaced.old) else { return };
        replaced.successors = std::mem::take(&mut vertex.successors);
        replaced.predecessors = std::mem::take(&mut vertex.predecessors);
        replaced.incoming = vertex.take_incoming();
    }

    /// Connects the new vertices as the old ones were, and updates the counts that follow from the edges.
    fn reconnect(&mut self, replaced: &mut [Replaced]) {
        let moved = replaced.iter().filter(|vertex| vertex.old != vertex.new);
        let moved: FxHashMap<VertexKey, VertexKey> = moved.map(|vertex| (vertex.old, vertex.new)).collect();
        let new_key = |key: &mut VertexKey| *key = moved.get(key).copied().unwrap_or(*key);
        for Replaced { position, old, new, successors, predecessors, incoming, .. } in &mut *replaced {
            if old != new {
                self.rename(*old, *new, successors, predecessors);
            }
            let Some(vertex) = self.get_mut(*new) else { continue };
            vertex.position = *position;
            successors.iter_mut().chain(&mut *predecessors).for_each(|(key, _)| new_key(key));
            incoming.iter_mut().for_each(|incoming| new_key(&mut incoming.from));
            vertex.successors.clone_from(successors);
            vertex.predecessors = std::mem::take(predecessors);
            if !incoming.is_empty() {
                vertex.flow_mut().incoming = std::mem::take(incoming);
            }
        }
        // The new vertices are not settled, and count those that are not before they count themselves.
        let new: FxHashSet<VertexKey> = replaced.iter().map(|vertex| vertex.new).collect();
        for vertex in replaced.iter().filter(|vertex| vertex.was_settled) {
            for (to, _) in vertex.successors.iter().filter(|(to, _)| !new.contains(to)) {
                if let Some(successor) = self.get_mut(*to) {
                    successor.unsettled_predecessors += 1;
                }
                self.touch(*to);
            }
        }
        for vertex in replaced.iter() {
            let Some(added) = self.get(vertex.new) else { continue };
            let unsettled = added.predecessors.iter().filter(|(p, _)| self.get(*p).is_none_or(|p| !p.settled)).count();
            if let Some(added) = self.get_mut(vertex.new) {
                added.unsettled_predecessors = unsettled as u32;
            }
            self.touch(vertex.new);
        }
    }

    /// Replaces a key in the lists of its neighbours.
    fn rename(
        &mut self,
        old: VertexKey,
        new: VertexKey,
        successors: &[(VertexKey, bool)],
        predecessors: &[(VertexKey, bool)],
    ) {
        let rename = |list: &mut Neighbours| {
            list.iter_mut().filter(|(key, _)| *key == old).for_each(|(key, _)| *key = new);
        };
        for (to, _) in successors {
            if let Some(vertex) = self.get_mut(*to) {
                rename(&mut vertex.predecessors);
                vertex.rename_sender(old, new);
            }
        }
        for (from, _) in predecessors {
            if let Some(vertex) = self.get_mut(*from) {
                rename(&mut vertex.successors);
            }
        }
    }
}
