//! Values that vertices send to each other (spec 06 §5).

use mcl_value::Value;

use crate::engine::Engine;
use crate::event::Received;
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::vertex::Vertex;

impl Engine {
    /// Receives the current values of all senders of a vertex. Returns those that differ, and marks their parameters as
    /// changed until a check succeeds.
    ///
    /// # Errors
    /// A sender has not sent a value yet.
    pub(super) fn receive(&mut self, key: VertexKey) -> Result<Vec<Received>, Failure> {
        let mut updates = Vec::new();
        let Some(vertex) = self.get(key) else { return Ok(updates) };
        for incoming in &vertex.flow().incoming {
            let sender = self.get(incoming.from);
            let snapshot = sender.and_then(|s| {
                s.flow().sent.iter().find(|sent| sent.member == incoming.from_member && *sent.key == *incoming.from_key)
            });
            let Some(value) = snapshot.and_then(|s| s.value.as_ref()) else {
                let from = sender.map(|s| s.group[incoming.from_member.min(s.group.len() - 1)].id.to_string());
                let from = from.unwrap_or_else(|| "a resource that is not in the graph".to_owned());
                return Err(Failure::NothingSent(format!(
                    "received no value from {from}.{} for `{}`",
                    incoming.from_key, incoming.key
                )));
            };
            if vertex.current(incoming.member, &incoming.key) != Some(value) {
                updates.push(Received { member: incoming.member, key: incoming.key.clone(), value: value.clone() });
            }
        }
        if updates.is_empty() {
            return Ok(updates);
        }
        let flow = self.get_mut(key).expect("looked up above").flow_mut();
        for update in &updates {
            let place = flow.received.iter_mut().find(|(m, k, _)| *m == update.member && *k == update.key);
            match place {
                Some((_, _, value)) => *value = update.value.clone(),
                None => flow.received.push((update.member, update.key.clone(), update.value.clone())),
            }
            let mark = (update.member, update.key.clone());
            if !flow.changed.contains(&mark) {
                flow.changed.push(mark);
            }
        }
        Ok(updates)
    }

    /// Marks the receivers of a vertex as dirty whose value differs from the one that it sent last.
    pub(super) fn wake_receivers(&mut self, key: VertexKey) {
        let Some(sender) = self.get(key) else { return };
        if sender.flow().sent.is_empty() {
            return;
        }
        let mut stale = Vec::new();
        for &(to, _) in &sender.successors {
            let Some(receiver) = self.get(to) else { continue };
            let differs = receiver.flow().incoming.iter().filter(|i| i.from == key).any(|i| {
                let sent = sender.flow().sent.iter().find(|s| s.member == i.from_member && *s.key == *i.from_key);
                sent.and_then(|s| s.value.as_ref()).is_some_and(|v| receiver.current(i.member, &i.key) != Some(v))
            });
            if differs && receiver.runs() {
                stale.push(to);
            }
        }
        for to in stale {
            self.request_check(to);
        }
    }
}

impl Vertex {
    /// Returns the value of a parameter: the received one, otherwise the declared one.
    pub(super) fn current(&self, member: usize, key: &str) -> Option<&Value> {
        let received = self.flow().received.iter().find(|(m, k, _)| *m == member && &**k == key).map(|(_, _, v)| v);
        received.or_else(|| self.group.get(member)?.params.get(key))
    }
}
