//! A simulated check: what it receives, changes, sends, and leaves to do.

use mcl_value::Value;

use crate::event::{Event, Finished, Received, Sent};
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::simulator::declaration::{NAMES, Name};
use crate::simulator::random::Random;
use crate::simulator::vertex::Running;
use crate::simulator::world::World;

impl World {
    /// The receiver has the values that its senders sent last.
    pub(super) fn receive(&mut self, key: VertexKey, updates: &[Received]) {
        let vertex = self.vertex(key);
        for update in updates {
            assert_ne!(vertex.received[update.member].map(Value::Int), Some(update.value.clone()), "a new value");
            vertex.received[update.member] = update.value.as_int();
            if !vertex.changed.contains(&update.member) {
                vertex.changed.push(update.member);
            }
        }
        let vertex = self.live[key.index()].as_ref().expect("created");
        let mut senders = [None; NAMES];
        for &(from, to) in &self.transfers {
            senders[to] = Some(from);
        }
        for (name, received) in vertex.members.iter().zip(&vertex.received) {
            let Some(from) = senders[*name] else {
                assert_eq!(*received, None, "r{name} has a value of a transfer that is gone");
                continue;
            };
            let sender =
                self.live.iter().flatten().find(|v| v.in_graph && v.members.contains(&from)).expect("a sender");
            let member = sender.members.iter().position(|name| *name == from).expect("found above");
            assert!(sender.sent[member].is_some(), "r{name} is checked without a value from r{from}");
            assert_eq!(*received, sender.sent[member], "r{name} has the value of r{from}");
        }
    }

    pub(super) fn begin(&mut self, key: VertexKey, apply: bool, notifies: Vec<Name>) {
        let (noop, faults) = (self.noop, self.faults);
        let changes = self.changes;
        let vertex = self.live[key.index()].as_mut().expect("created");
        assert_eq!(apply, !noop && !vertex.meta.noop);
        let name = vertex.leader();
        let answers = (0..NAMES).filter(|from| self.owed[*from][name] > 0).map(|from| (from, self.owed[from][name]));
        let answers = answers.filter(|_| apply).collect();
        let edges = &self.edges;
        let expected: Vec<Name> = (0..NAMES)
            .filter(|to| apply && edges.get(&(name, *to)) == Some(&true) && self.declaration.listens(*to))
            .collect();
        let mut sorted = notifies.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected, "the dependents that r{name} notifies");
        vertex.event = false;
        if apply && vertex.meta.reverse {
            vertex.members.iter().for_each(|name| self.reversible[*name] = true);
        }
        // Deterministic, and independent of other actions.
        let stubborn = faults && (changes + key.0 as u64 + self.now.as_millis() as u64).is_multiple_of(13);
        let (cancelled, killed, made_change) = (false, false, None);
        vertex.running = Some(Running { apply, answers, notifies, made_change, cancelled, killed, stubborn });
    }

    /// A running check makes a change: the agent records it first.
    pub(super) fn make_change(&mut self, key: VertexKey) {
        let vertex = self.live[key.index()].as_mut().expect("chosen from the live ones");
        let (members, name) = (vertex.members.clone(), vertex.leader());
        let Some(running) = vertex.running.as_mut().filter(|r| r.apply && r.made_change.is_none()) else { return };
        if !members.iter().any(|name| self.drifted[*name]) {
            return;
        }
        self.journal.extend(running.notifies.iter().map(|to| (name, *to)));
        running.made_change = Some(running.notifies.clone());
        members.iter().for_each(|name| self.drifted[*name] = false);
        self.log(|_| format!("r{name} changes"));
    }

    /// Ends a running check.
    pub(super) fn end(&mut self, key: VertexKey, random: &mut Random) {
        let vertex = self.live[key.index()].as_ref().expect("chosen from the live ones");
        let running = vertex.running.clone().expect("runs");
        if running.stubborn && !running.killed && (self.faults || !vertex.in_graph) {
            return;
        }
        let fails = if running.cancelled { random.chance(80) } else { self.faults && random.chance(25) };
        let drifted = vertex.members.iter().any(|name| self.drifted[*name]);
        if !fails || random.chance(30) {
            self.make_change(key);
        }
        let values: Vec<Option<i64>> =
            self.vertex(key).sent.clone().into_iter().map(|old| self.value(old, random)).collect();
        let vertex = self.live[key.index()].as_mut().expect("chosen from the live ones");
        let running = vertex.running.take().expect("runs");
        let (name, in_graph, propagates) = (vertex.leader(), vertex.in_graph, vertex.propagates);
        let changed = running.made_change.is_some();
        let mut sent = Vec::new();
        let result = if fails { Err(Failure::Cancelled) } else { Ok(()) };
        if fails {
            if changed || vertex.unreported.is_some() {
                let promised = vertex.unreported.get_or_insert_default();
                promised.extend(running.notifies.iter().map(|to| (*to, changed)));
            }
        } else {
            vertex.sent.clone_from(&values);
            let value = |(member, value): (usize, &Option<i64>)| Sent {
                member,
                key: "out",
                value: value.map(Value::Int),
                sensitive: false,
            };
            sent = values.iter().enumerate().map(value).collect();
            vertex.succeed();
        }
        let has_changed = changed || vertex.unreported.is_some();
        let promised = (has_changed && !(fails && in_graph)).then(|| {
            let unreported = vertex.unreported.take().into_iter().flatten().map(|(to, _)| to);
            unreported.chain(running.notifies.iter().copied()).collect::<Vec<Name>>()
        });
        if !fails && in_graph && vertex.meta.retryreset {
            self.used[name] = 0;
        }
        let is_done_reversal = !fails && vertex.is_reversal && running.apply;
        if is_done_reversal {
            self.reversible[name] = false;
        }
        let members = vertex.members.clone();
        self.changes += 1;
        if !fails && in_graph && running.apply {
            for (from, change) in &running.answers {
                if self.owed[*from][name] == *change {
                    self.owed[*from][name] = 0;
                }
            }
        }
        let passes_on = !fails && in_graph && running.apply && propagates && !running.answers.is_empty();
        if promised.is_some() || passes_on {
            self.owe(&members, in_graph, &promised.unwrap_or_default());
        }
        self.log(|_| format!("r{name} ends, fails {fails}, changed {changed}, in graph {in_graph}"));
        let changed = changed || (drifted && !running.apply);
        self.step(Event::Finished(key, Finished { changed, sent, result }));
        if running.made_change.is_some() {
            // The change is an event, too.
            self.fire(name);
        }
    }

    /// The dependents of a vertex that changed have to be refreshed. If it left the graph, those that were recorded.
    fn owe(&mut self, members: &[Name], in_graph: bool, recorded: &[Name]) {
        for (&(from, to), &notify) in &self.edges {
            let is_source = self.members.iter().any(|m| m[0] == from && m.iter().any(|name| members.contains(name)));
            let is_source = if in_graph { from == members[0] } else { is_source };
            let target = self.members.iter().find(|m| m[0] == to).expect("a vertex");
            let is_target = in_graph || target.iter().any(|name| recorded.contains(name));
            if notify && is_source && is_target && self.declaration.listens(to) {
                self.owed[from][to] = self.changes;
            }
        }
    }

    fn value(&mut self, old: Option<i64>, random: &mut Random) -> Option<i64> {
        self.values += 1;
        match random.below(10) {
            0 if self.faults => None,
            0..3 => Some(self.values),
            _ => old.or(Some(self.values)),
        }
    }
}
