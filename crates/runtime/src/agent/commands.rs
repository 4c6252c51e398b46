//! Executing the commands of the resource engine, and taking back finished checks.

use std::time::Instant;

use mcl_diagnostics::Code;
use resource_engine::{Command, Event, Finished, VertexKey};
use resource_graph::ResourceId;
use resources::{Cancel, CancelLevel, Change, Effects, Failure, Uncertainty, is_reversal};

use crate::agent::event_loop::Agent;
use crate::agent::job::{DataFlow, Done, Job};
use crate::agent::observer;
use crate::agent::slot::Implementation;

impl Agent<'_> {
    pub(super) fn execute(&mut self, command: Command) {
        match command {
            Command::Create(key, resources) => self.slots.create(key, resources),
            Command::Watch(key, epoch) => self.watch(key, epoch),
            Command::Unwatch(key) => {
                if let Some(slot) = self.slots.get_mut(key) {
                    self.watching.end(&mut slot.watches);
                }
            }
            Command::Run { key, apply, refresh, updates, changed, notifies } => {
                let is_plain = updates.is_empty() && changed.is_empty() && notifies.is_empty();
                let flow = (!is_plain).then(|| Box::new(DataFlow { updates, changed, notifies }));
                self.start_check(key, apply, refresh, flow);
            }
            Command::Cancel(key) => self.cancel(key, CancelLevel::Cancel),
            Command::Kill(key) => self.cancel(key, CancelLevel::Kill),
            Command::Remove(key) => self.remove(key),
            Command::Record { from, to } => {
                let recorded = self.context.journal.as_ref().map(|journal| journal.record(&from, &[to]));
                if let Some(Err(error)) = recorded {
                    self.report_problem(Code::R0410, format!("cannot write the journal of notifications: {error}"));
                }
            }
            Command::Delivered { from, to } => {
                if let Some(Err(error)) = self.context.journal.as_ref().map(|journal| journal.forget(&from, &to)) {
                    self.report_problem(Code::R0410, format!("cannot write the journal of notifications: {error}"));
                }
            }
            Command::Report(report) => self.report(report),
        }
    }

    fn watch(&mut self, key: VertexKey, epoch: u32) {
        if let Some(slot) = self.slots.get_mut(key) {
            slot.watches.epoch = epoch;
            if let Implementation::Idle(kind) = &slot.implementation {
                self.watching.start(key, kind.watches(), &mut slot.watches);
            }
        }
        self.events.push_back(Event::Watching(key, epoch));
    }

    fn start_check(&mut self, key: VertexKey, apply: bool, refresh: bool, flow: Option<Box<DataFlow>>) {
        let Some(slot) = self.slots.get_mut(key) else { return };
        let kind = match slot.take() {
            Ok(kind) => kind,
            Err(failure) => {
                let finished = Finished { changed: false, sent: Vec::new(), result: Err(failure) };
                return self.events.push_back(Event::Finished(key, finished));
            }
        };
        let cancel = Cancel::new();
        slot.running = Some((cancel.clone(), Instant::now()));
        let (initialised, resources) = (slot.initialised, slot.resources.clone());
        let context = self.context.clone();
        self.workers.push(Job { key, kind, initialised, resources, apply, refresh, flow, context, cancel });
    }

    fn cancel(&mut self, key: VertexKey, level: CancelLevel) {
        if let Some((cancel, _)) = self.slots.get(key).and_then(|slot| slot.running.as_ref()) {
            cancel.request(level);
        }
    }

    fn remove(&mut self, key: VertexKey) {
        let Some(mut slot) = self.slots.remove(key) else { return };
        self.watching.end(&mut slot.watches);
        if let Implementation::Idle(kind) = &mut slot.implementation {
            kind.cleanup();
        }
        let failures = self.exports.as_ref().map(|exports| exports.withdraw_exports_of(&slot.resources[0]));
        self.report_failures(&failures.unwrap_or_default());
        self.undo_later(&slot.resources[0]);
    }

    /// Takes back a check from its worker.
    pub(super) fn handle_done(&mut self, done: Done) {
        let Done { key, kind, initialised, updated, watch_again, apply, changes, sent, messages, result } = done;
        let Some(slot) = self.slots.get_mut(key) else { return };
        let needs_new_watches = (updated.is_some() || watch_again) && slot.watches.epoch != 0;
        if let Some(resources) = updated {
            slot.resources = resources;
        }
        if needs_new_watches {
            self.watching.replace(key, kind.watches(), &mut slot.watches);
        }
        let effects = kind.effects();
        slot.implementation = Implementation::Idle(kind);
        slot.initialised = initialised;
        slot.running = None;
        let result = match result {
            Err(failure) if self.is_unknown_in_plan(key, effects, &failure) => return self.unknown(key, failure),
            result => result,
        };
        let Some(slot) = self.slots.get_mut(key) else { return };
        if self.context.plan.is_some() && !changes.is_empty() {
            self.unseen.add(key, effects);
        }
        // A change is announced before it is made: the last one before a failure is the one that failed.
        let made = changes.len() - usize::from(result.is_err() && !changes.is_empty());
        for change in &changes[..made] {
            self.observer.event(observer::Event::Changed { resource: &slot.resources[0], change, noop: !apply });
        }
        for text in &messages {
            self.observer.event(observer::Event::Message { id: &slot.resources[0].id, text });
        }
        if result.is_ok() && slot.recover() {
            self.observer.event(observer::Event::Recovered { resource: &slot.resources[0] });
        }
        self.summary.changes += made;
        let is_changed = apply && made > 0;
        if apply && self.context.plan.is_none() && result.is_ok() && is_reversal(&slot.resources[0]) {
            let id = slot.resources[0].id.clone();
            self.forget_reversal(&id);
        }
        let finished = Finished { changed: !changes.is_empty(), sent, result };
        self.events.push_back(Event::Finished(key, finished));
        if is_changed {
            self.count_change(key, Instant::now());
        }
        if watch_again && needs_new_watches {
            // One more check finds what changed between the check and the new watches.
            self.events.push_back(Event::Fired(key));
        }
    }

    /// Returns whether a failure in a plan may be due to a change that was announced and not made.
    fn is_unknown_in_plan(&self, key: VertexKey, effects: Effects, failure: &Failure) -> bool {
        self.context.plan.is_some()
            && !matches!(failure, Failure::Cancelled | Failure::Panic(_))
            && self.engine.nearest_ancestor(key, |above| self.unseen.is_unseen(above, effects)).is_some()
    }

    /// Reports that the result of a check is unknown until earlier changes are made, and continues as if it changed something.
    fn unknown(&mut self, key: VertexKey, failure: Failure) {
        let effects = Effects::Machine;
        let above = self.engine.nearest_ancestor(key, |above| self.unseen.is_unseen(above, effects));
        let after = above.and_then(|above| self.engine.id(above)).map(ToString::to_string).unwrap_or_default();
        if let Some(slot) = self.slots.get(key) {
            let change = Change {
                uncertainty: Some(Uncertainty::Unknown(format!("unknown until {after} has changed: {failure}"))),
                ..Change::from("check again")
            };
            self.observer.event(observer::Event::Changed { resource: &slot.resources[0], change: &change, noop: true });
        }
        self.summary.changes += 1;
        self.unseen.add(key, effects);
        self.events.push_back(Event::Finished(key, Finished { changed: true, sent: Vec::new(), result: Ok(()) }));
    }

    fn forget_reversal(&mut self, id: &ResourceId) {
        if let Some(Err(failure)) = self.reversals.as_ref().map(|reversals| reversals.forget(id)) {
            self.report_failures(&[failure]);
        }
    }
}
