//! Vertices that leave the graph while their check runs, and the added ones that wait for them.
//!
//! An added vertex waits for a removed one whose check still runs if both have a *claim* in common: the id of a resource, or
//! a name that [`Config::claims`](crate::Config::claims) returns, such as the path that both write. Nothing else waits: an
//! order between two checks holds when the graph that is in force states it, and that graph does not contain the removed
//! vertex. The rule is safe because two checks that touch the same thing have a claim in common, and because the vertices
//! that come after an added one wait for it as ever, and so for the removed one.
//!
//! A removed check is cancelled after [`Config::cancel_timeout`](crate::Config::cancel_timeout), and killed after that time
//! again, so nothing waits forever.

use crate::claims::Claim;
use crate::engine::Engine;
use crate::event::Command;
use crate::graph::Group;
use crate::key::VertexKey;
use crate::vertex::{Escalation, Phase, WatchState};

impl Engine {
    fn claims_of(&self, group: &Group) -> Vec<Claim> {
        let ids = group.iter().map(|resource| Claim::Resource(resource.id.clone()));
        let names = self.config.claims.map(|claims| group.iter().flat_map(claims).map(Claim::Name).collect::<Vec<_>>());
        ids.chain(names.into_iter().flatten()).collect()
    }

    /// Lets a removed vertex finish its check.
    pub(super) fn retire(&mut self, key: VertexKey) {
        let cancel_at = self.now + self.config.cancel_timeout;
        let Some(vertex) = self.get_mut(key) else { return };
        if let Phase::Running { escalation, .. } = &mut vertex.phase
            && escalation.is_none_or(|(at, _)| at > cancel_at)
        {
            *escalation = Some((cancel_at, Escalation::Cancel));
        }
        let group = vertex.group.clone();
        self.removals.running += 1;
        for claim in self.claims_of(&group) {
            self.removals.claims.entry(claim).or_default().holders += 1;
        }
        self.schedule(key);
    }

    /// Discards a removed vertex after its last check, and lets those go on that waited for it.
    pub(super) fn end_retirement(&mut self, key: VertexKey) {
        let Some(vertex) = self.get(key).filter(|v| v.retiring && !v.is_running()) else { return };
        let group = vertex.group.clone();
        self.discard(key);
        self.removals.running -= 1;
        for claim in self.claims_of(&group) {
            let Some(claimed) = self.removals.claims.get_mut(&claim) else { continue };
            claimed.holders -= 1;
            if claimed.holders == 0 {
                let waiting = self.removals.claims.remove(&claim).map(|claimed| claimed.waiting);
                self.removals.added.extend(waiting.unwrap_or_default());
            }
        }
    }

    pub(super) fn discard(&mut self, key: VertexKey) {
        self.forget_timer(key);
        let vertex = self.vertices[key.index()].take();
        self.unknown.remove(&key);
        self.free.push(key);
        if vertex.is_some_and(|v| v.created) {
            self.commands.push(Command::Remove(key));
        }
    }

    pub(super) fn may_start_added(&self) -> bool {
        self.stopping.is_none() && !self.removals.added.is_empty()
    }

    /// Lets one of the added vertices begin, or wait for the removed ones that it has a claim in common with.
    pub(super) fn start_added(&mut self) {
        let Some(key) = self.removals.added.pop_front() else { return };
        let Some(vertex) = self.get(key).filter(|v| v.watch == WatchState::WaitingForRemovals && !v.retiring) else {
            return;
        };
        if !self.removals.claims.is_empty() {
            let claims = self.claims_of(&vertex.group);
            let held = claims.iter().find(|claim| self.removals.claims.contains_key(claim));
            if let Some(claimed) = held.and_then(|claim| self.removals.claims.get_mut(claim)) {
                return claimed.waiting.push(key);
            }
        }
        self.start_watching(key);
    }

    /// Drops the keys of discarded vertices from all queues. Must precede the reuse of these keys.
    pub(super) fn prune_queues(&mut self) {
        let vertices = &self.vertices;
        let exists = |key: &VertexKey| vertices.get(key.index()).is_some_and(Option::is_some);
        self.ready.retain(exists);
        self.granted.retain(exists);
        self.removals.added.retain(exists);
        for claimed in self.removals.claims.values_mut() {
            claimed.waiting.retain(exists);
        }
    }
}
