//! Notifications: from a resource that changed to its dependents, also across graph swaps. The head comment of
//! `records.rs` explains when a notification may be forgotten.

use resource_graph::ResourceId;
use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::event::Command;
use crate::key::VertexKey;
use crate::records::Record;
use crate::vertex::Vertex;

/// A notification on its way from one graph to the next. It holds its record.
pub(super) struct Undelivered {
    record: Record,
    /// The resources that may have changed: the sender and those that were grouped with it.
    sources: Vec<ResourceId>,
    /// The resources that may have to be refreshed: the dependent and those that were grouped with it.
    targets: Vec<ResourceId>,
    /// The vertex that it was for, if that stays.
    target: Option<VertexKey>,
    /// Whether the running check of that vertex handles it.
    is_taken: bool,
}

/// What becomes of a vertex when the graph changes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Removed,
}

impl Engine {
    /// Adds holders for the records that the agent makes before the first change of a check.
    pub(super) fn hold_targets(&mut self, key: VertexKey, notifies: &[ResourceId]) {
        let Some(vertex) = self.get_mut(key).filter(|_| !notifies.is_empty()) else { return };
        let new: Vec<ResourceId> = notifies.iter().filter(|to| !vertex.is_recorded(to)).cloned().collect();
        vertex.recorded_targets.get_mut().extend_from_slice(&new);
        let from = vertex.id().clone();
        for to in new {
            self.records.hold((from.clone(), to));
        }
    }

    /// Notes that the agent made these records, because the check announced a change.
    pub(super) fn mark_targets_recorded(&mut self, key: VertexKey) {
        let Some(vertex) = self.get(key) else { return };
        let records: Vec<Record> = vertex.recorded_targets.iter().map(|to| (vertex.id().clone(), to.clone())).collect();
        for record in records {
            self.records.mark_recorded(&record);
        }
    }

    /// Ends the part of a sender in the records of its checks since the last success.
    pub(super) fn release_targets(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key).filter(|v| !v.recorded_targets.is_empty()) else { return };
        let from = vertex.id().clone();
        for to in vertex.recorded_targets.take() {
            self.release_record(&(from.clone(), to));
        }
    }

    pub(super) fn release_record(&mut self, record: &Record) {
        if self.records.release(record) {
            let (from, to) = record.clone();
            self.commands.push(Command::Delivered { from, to });
        }
    }

    /// Notifies the dependents of a vertex that changed.
    pub(super) fn notify_from(&mut self, key: VertexKey) {
        let Some(vertex) = self.get(key) else { return };
        let from = vertex.id().clone();
        let targets: Vec<VertexKey> = vertex.successors.iter().filter(|(_, n)| *n).map(|(to, _)| *to).collect();
        for to in targets {
            if self.get(to).is_some_and(Vertex::listens) {
                self.add_pending(to, from.clone());
                self.request_check(to);
            }
        }
    }

    /// Makes a notification pending, and lets the agent record it unless it has.
    fn add_pending(&mut self, to: VertexKey, from: ResourceId) {
        let Some(target) = self.get_mut(to) else { return };
        let record = (from.clone(), target.id().clone());
        if target.pending_notifications.get_mut().insert(from) {
            self.records.hold(record.clone());
        }
        self.record(record);
    }

    fn record(&mut self, record: Record) {
        if self.records.mark_recorded(&record) {
            let (from, to) = record;
            self.commands.push(Command::Record { from, to });
        }
    }

    /// Takes the notifications out of the graph that are not delivered: those that are pending or being handled, those of
    /// vertices that leave after a failed check changed something, and before the first graph those of an earlier run.
    pub(super) fn take_undelivered(&mut self, kept: &FxHashSet<VertexKey>) -> Vec<Undelivered> {
        let mut undelivered = Vec::new();
        for record in std::mem::take(&mut self.config.undelivered) {
            self.records.hold(record.clone());
            self.records.mark_recorded(&record);
            let (sources, targets) = (vec![record.0.clone()], vec![record.1.clone()]);
            undelivered.push(Undelivered { record, sources, targets, target: None, is_taken: false });
        }
        if self.records.is_empty() {
            return undelivered;
        }
        let involved: Vec<VertexKey> = self.live().filter(|(_, v)| v.has_notifications()).map(|(key, _)| key).collect();
        for key in involved {
            let fate = if kept.contains(&key) { Fate::Kept } else { Fate::Removed };
            self.take_notifications(key, fate, &mut undelivered);
        }
        undelivered
    }

    /// Takes the notifications of one vertex that are not delivered.
    pub(super) fn take_notifications(&mut self, key: VertexKey, fate: Fate, undelivered: &mut Vec<Undelivered>) {
        let Some(vertex) = self.get_mut(key).filter(|vertex| vertex.has_notifications()) else { return };
        let id = vertex.id().clone();
        let members = member_ids(vertex);
        let pending = vertex.pending_notifications.take().into_iter().map(|from| (from, false));
        let taken = vertex.taken_notifications.take().into_iter().map(|from| (from, true));
        let sent = if vertex.unreported_change && !vertex.is_running() && fate == Fate::Removed {
            vertex.recorded_targets.take()
        } else {
            Vec::new()
        };
        let target = (fate == Fate::Kept).then_some(key);
        for (from, is_taken) in pending.chain(taken) {
            let senders = self.vertices_of(&from);
            let grouped = senders.iter().filter_map(|k| self.get(*k)).flat_map(member_ids);
            let sources = grouped.chain([from.clone()]).collect();
            let (record, targets) = ((from, id.clone()), members.clone());
            undelivered.push(Undelivered { record, sources, targets, target, is_taken });
        }
        for to in sent {
            let receivers = self.vertices_of(&to);
            let grouped = receivers.iter().filter_map(|k| self.get(*k)).flat_map(member_ids);
            let targets = grouped.chain([to.clone()]).collect();
            let (record, sources) = ((id.clone(), to), members.clone());
            undelivered.push(Undelivered { record, sources, targets, target: None, is_taken: false });
        }
    }

    /// Lets the agent record the new dependents of vertices that may have changed something already.
    pub(super) fn record_new_targets(&mut self, keys: &[VertexKey]) {
        for key in keys {
            if self.may_have_changed(*key) {
                let targets = self.listening_dependents(*key);
                self.record_targets(*key, targets);
            }
        }
    }

    /// Lets the agent record a new vertex as a dependent of those that may have changed something already.
    pub(super) fn record_new_target(&mut self, key: VertexKey) {
        let Some(target) = self.get(key).filter(|vertex| vertex.listens()) else { return };
        let id = target.id().clone();
        let notifying = target.predecessors.iter().filter(|(_, notify)| *notify).map(|(from, _)| *from);
        let changing: Vec<VertexKey> = notifying.filter(|from| self.may_have_changed(*from)).collect();
        for from in changing {
            self.record_targets(from, vec![id.clone()]);
        }
    }

    /// Whether the check of a vertex runs and may change something, or failed after a change.
    fn may_have_changed(&self, key: VertexKey) -> bool {
        let changing = |v: &Vertex| v.unreported_change || (v.is_running() && !self.config.noop && !v.meta().noop);
        self.get(key).is_some_and(changing)
    }

    /// Lets the agent record the dependents of a vertex that it has not recorded yet.
    fn record_targets(&mut self, key: VertexKey, targets: Vec<ResourceId>) {
        let Some(vertex) = self.get(key) else { return };
        let from = vertex.id().clone();
        let new: Vec<ResourceId> = targets.into_iter().filter(|to| !vertex.is_recorded(to)).collect();
        self.hold_targets(key, &new);
        for to in new {
            self.record((from.clone(), to));
        }
    }

    /// Returns the dependents that a change of the vertex refreshes.
    pub(super) fn listening_dependents(&self, key: VertexKey) -> Vec<ResourceId> {
        let successors = self.get(key).into_iter().flat_map(|vertex| &vertex.successors);
        let listening = successors.filter(|(_, notify)| *notify).filter_map(|(to, _)| self.get(*to));
        listening.filter(|vertex| vertex.listens()).map(|vertex| vertex.id().clone()).collect()
    }

    /// Notifies in the new graph on behalf of a removed vertex that changed something.
    pub(super) fn notify_for_removed(&mut self, key: VertexKey) {
        let Some(vertex) = self.get_mut(key) else { return };
        let (id, sources) = (vertex.id().clone(), member_ids(vertex));
        let undelivered = vertex.recorded_targets.take().into_iter().map(|to| Undelivered {
            record: (id.clone(), to.clone()),
            sources: sources.clone(),
            targets: vec![to],
            target: None,
            is_taken: false,
        });
        self.restore_notifications(undelivered.collect());
    }

    /// Makes notifications pending again where the edge still exists, perhaps between other leaders of the same groups.
    /// The records of the others are forgotten.
    pub(super) fn restore_notifications(&mut self, undelivered: Vec<Undelivered>) {
        for Undelivered { record, sources, targets, target, is_taken } in undelivered {
            let keys = |ids: &[ResourceId]| ids.iter().flat_map(|id| self.vertices_of(id)).collect::<FxHashSet<_>>();
            let (from, to) = (keys(&sources), keys(&targets));
            for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to))) {
                self.restore_notification(from, to, target == Some(to), is_taken);
            }
            self.release_record(&record);
        }
    }

    fn restore_notification(&mut self, from: VertexKey, to: VertexKey, is_same: bool, is_taken: bool) {
        let (Some(source), Some(receiver)) = (self.get(from), self.get(to)) else { return };
        if !receiver.listens() || !notifies(source, from, receiver, to) {
            return;
        }
        let record = (source.id().clone(), receiver.id().clone());
        if !is_same || !is_taken {
            self.add_pending(to, record.0);
            if !is_same {
                self.request_check(to);
            }
            return;
        }
        let Some(receiver) = self.get_mut(to) else { return };
        if receiver.taken_notifications.get_mut().insert(record.0.clone()) {
            self.records.hold(record.clone());
        }
        self.record(record);
    }

    /// Returns the vertices of the graph that contain a resource: as leader, or as another member of a group.
    pub(super) fn vertices_of(&self, id: &ResourceId) -> Vec<VertexKey> {
        let members = self.by_member.get(id).into_iter().flatten().copied();
        self.by_id.find(id, &self.vertices).chain(members).collect()
    }
}

impl Vertex {
    /// Whether the agent may have recorded this dependent.
    fn is_recorded(&self, target: &ResourceId) -> bool {
        self.recorded_targets.iter().any(|recorded| recorded == target)
    }

    fn has_notifications(&self) -> bool {
        !self.pending_notifications.is_empty() || !self.taken_notifications.is_empty() || self.unreported_change
    }
}

fn member_ids(vertex: &Vertex) -> Vec<ResourceId> {
    vertex.group.iter().map(|resource| resource.id.clone()).collect()
}

/// Whether there is a notifying edge; looks at the shorter of the two lists.
fn notifies(source: &Vertex, from: VertexKey, receiver: &Vertex, to: VertexKey) -> bool {
    if source.successors.len() < receiver.predecessors.len() {
        source.successors.contains(&(to, true))
    } else {
        receiver.predecessors.contains(&(from, true))
    }
}
