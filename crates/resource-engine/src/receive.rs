//! Values that vertices send to each other (spec 06 §5).

use mcl_value::Value;

use crate::engine::Engine;
use crate::event::Received;
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::vertex::{Incoming, Vertex};

/// A value that was not sent.
pub(super) struct NotReceived {
    pub(super) failure: Failure,
    /// Whether it will be sent when the plan is applied.
    pub(super) is_unknown: bool,
}

impl Engine {
    /// Records in a plan that the results of a vertex are known only when it is applied. What it sends is unknown to its
    /// receivers, instead of missing.
    pub fn mark_unknown(&mut self, key: VertexKey) {
        self.unknown.insert(key);
    }

    /// Receives the current values of all senders of a vertex. Returns those that differ, and marks their parameters as
    /// changed until a check succeeds.
    ///
    /// # Errors
    /// A sender has not sent a value yet.
    pub(super) fn receive(&mut self, key: VertexKey) -> Result<Vec<Received>, NotReceived> {
        let mut updates = Vec::new();
        let Some(vertex) = self.get(key) else { return Ok(updates) };
        for incoming in &vertex.flow().incoming {
            let Some((value, sent_sensitive)) = self.sent_value(incoming) else {
                let sender = self.get(incoming.from);
                let from = sender.map(|s| s.group[incoming.from_member.min(s.group.len() - 1)].id.to_string());
                let from = from.unwrap_or_else(|| "a resource that is not in the graph".to_owned());
                let text = format!("received no value from {from}.{} for `{}`", incoming.from_key, incoming.key);
                let is_unknown = self.unknown.contains(&incoming.from);
                return Err(NotReceived { failure: Failure::NothingSent(text), is_unknown });
            };
            let sensitive = vertex.receives_sensitive(incoming, sent_sensitive);
            if vertex.current(incoming.member, &incoming.key) != Some((value, sensitive)) {
                let (member, key) = (incoming.member, incoming.key.clone());
                updates.push(Received { member, key, value: value.clone(), sensitive });
            }
        }
        if updates.is_empty() {
            return Ok(updates);
        }
        let flow = self.get_mut(key).expect("looked up above").flow_mut();
        for update in &updates {
            let place = flow.received.iter_mut().find(|r| r.member == update.member && r.key == update.key);
            match place {
                Some(received) => received.clone_from(update),
                None => flow.received.push(update.clone()),
            }
            let mark = (update.member, update.key.clone());
            if !flow.changed.contains(&mark) {
                flow.changed.push(mark);
            }
        }
        Ok(updates)
    }

    /// Requests checks of the receivers of a vertex that have not received what is sent to them now.
    pub(super) fn wake_receivers(&mut self, key: VertexKey) {
        let Some(sender) = self.get(key) else { return };
        if sender.flow().sent.is_empty() {
            return;
        }
        let is_outdated = |to: &VertexKey| self.get(*to).is_some_and(|receiver| self.is_outdated(receiver, key));
        let outdated: Vec<VertexKey> = sender.successors.iter().map(|(to, _)| *to).filter(is_outdated).collect();
        for to in outdated {
            self.request_check(to);
        }
    }

    /// Whether a check of this receiver would receive another value. It would receive none before all its senders have sent
    /// one: then the last of them wakes it.
    fn is_outdated(&self, receiver: &Vertex, sender: VertexKey) -> bool {
        let incoming = &receiver.flow().incoming;
        if !receiver.runs() || !incoming.iter().any(|i| i.from == sender) {
            return false;
        }
        let mut differs = false;
        for i in incoming {
            let Some((value, sensitive)) = self.sent_value(i) else { return false };
            let wanted = (value, receiver.receives_sensitive(i, sensitive));
            differs |= receiver.current(i.member, &i.key) != Some(wanted);
        }
        differs
    }

    /// Returns what was sent last, and whether it must not be shown.
    fn sent_value(&self, incoming: &Incoming) -> Option<(&Value, bool)> {
        let sent = &self.get(incoming.from)?.flow().sent;
        let sent = sent.iter().find(|s| s.member == incoming.from_member && *s.key == *incoming.from_key)?;
        Some((sent.value.as_ref()?, sent.sensitive))
    }
}

impl Vertex {
    /// Returns the value of a parameter, and whether it must not be shown: the received one, otherwise the declared one.
    pub(super) fn current(&self, member: usize, key: &str) -> Option<(&Value, bool)> {
        let received = self.flow().received.iter().find(|r| r.member == member && &*r.key == key);
        received.map(|received| (&received.value, received.sensitive)).or_else(|| {
            let value = self.group.get(member)?.params.get(key)?;
            Some((value, self.is_declared_sensitive(member, key)))
        })
    }

    /// Returns whether a parameter that receives this value must not be shown.
    fn receives_sensitive(&self, incoming: &Incoming, sent_sensitive: bool) -> bool {
        sent_sensitive || self.is_declared_sensitive(incoming.member, &incoming.key)
    }

    fn is_declared_sensitive(&self, member: usize, key: &str) -> bool {
        self.group.get(member).is_some_and(|resource| resource.sensitive.iter().any(|name| **name == *key))
    }
}
