//! Executing the commands of the resource engine, and taking back finished checks.

use std::time::Instant;

use mcl_diagnostics::Code;
use resource_engine::{Command, Event, Finished, VertexKey};
use resource_graph::ResourceId;
use resources::{Cancel, CancelLevel, Effects, Failure, is_reversal};

use crate::agent::damping::Cause;
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
        let is_new = slot.is_invalid();
        let kind = match slot.take() {
            Ok(kind) => kind,
            Err(failure) => return self.cannot_start(key, failure),
        };
        if is_new && slot.watches.epoch != 0 {
            self.watching.replace(key, kind.watches(), &mut slot.watches);
        }
        let cancel = Cancel::new();
        slot.running = Some((cancel.clone(), Instant::now()));
        let (initialised, resources) = (slot.initialised, slot.resources.clone());
        let context = self.context.clone();
        let unseen = self.unseen_before(key);
        self.workers.push(Job { key, kind, initialised, resources, apply, refresh, flow, context, cancel, unseen });
    }

    /// Ends a check without an implementation: that of a resource that is invalid, or needs what does not exist yet.
    fn cannot_start(&mut self, key: VertexKey, failure: Failure) {
        let is_invalid = matches!(failure, Failure::Invalid(_));
        if !is_invalid && self.is_unknown_in_plan(key, Effects::Machine, &failure) {
            return self.unknown(key, Effects::Machine, &failure);
        }
        let finished = Finished { changed: false, sent: Vec::new(), result: Err(failure) };
        self.events.push_back(Event::Finished(key, finished));
    }

    fn cancel(&mut self, key: VertexKey, level: CancelLevel) {
        if let Some((cancel, _)) = self.slots.get(key).and_then(|slot| slot.running.as_ref()) {
            cancel.request(level);
        }
    }

    fn remove(&mut self, key: VertexKey) {
        self.unseen.forget(key);
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
        let Done {
            key,
            kind,
            initialised,
            updated,
            watch_again,
            apply,
            refresh,
            mut changes,
            mut sent,
            messages,
            result,
        } = done;
        let cause = if kind.converges() { Cause::Repair } else { Cause::Run };
        // What others asked for is not the work of somebody who undoes changes.
        let is_asked_for = refresh || updated.is_some();
        let Some(slot) = self.slots.get_mut(key) else { return };
        let needs_new_watches = (updated.is_some() || watch_again) && slot.watches.epoch != 0;
        if let Some(resources) = updated {
            slot.resources = resources;
        }
        if needs_new_watches {
            self.watching.replace(key, kind.watches(), &mut slot.watches);
        }
        let (effects, depends_on_state) = (kind.effects(), kind.depends_on_state());
        slot.implementation = Implementation::Idle(kind);
        slot.initialised = initialised;
        slot.running = None;
        let result = match result {
            Err(failure) if self.is_unknown_in_plan(key, effects, &failure) => {
                return self.unknown(key, effects, &failure);
            }
            result => result,
        };
        let is_plan = self.context.plan.is_some();
        // `Meta:noop` changes nothing when the plan is applied, either.
        if is_plan && apply {
            self.record_planned(key, effects, depends_on_state, &mut changes, &mut sent);
        }
        if is_plan {
            self.unseen.pass_on(&self.engine, key);
        }
        let Some(slot) = self.slots.get_mut(key) else { return };
        let is_noop = !apply || is_plan;
        // A change is announced before it is made: the last one before a failure is the one that failed.
        let made = changes.len() - usize::from(result.is_err() && !changes.is_empty());
        for change in &changes[..made] {
            self.observer.event(observer::Event::Changed { resource: &slot.resources[0], change, noop: is_noop });
        }
        for text in &messages {
            self.observer.event(observer::Event::Message { id: &slot.resources[0].id, text });
        }
        if result.is_ok() && slot.recover() {
            self.observer.event(observer::Event::Recovered { resource: &slot.resources[0] });
        }
        if apply || !is_plan {
            self.summary.changes += made;
        }
        let is_changed = apply && made > 0;
        if apply && !is_plan && result.is_ok() && is_reversal(&slot.resources[0]) {
            let id = slot.resources[0].id.clone();
            self.forget_reversal(&id);
        }
        let finished = Finished { changed: !changes.is_empty(), sent, result };
        self.events.push_back(Event::Finished(key, finished));
        if is_changed && !is_asked_for {
            self.count_change(key, cause, Instant::now());
        }
        if watch_again && needs_new_watches {
            // One more check finds what changed between the check and the new watches.
            self.events.push_back(Event::Fired(key));
        }
    }

    fn forget_reversal(&mut self, id: &ResourceId) {
        if let Some(Err(failure)) = self.reversals.as_ref().map(|reversals| reversals.forget(id)) {
            self.report_failures(&[failure]);
        }
    }
}
