//! What the result of a check means in a plan, where not all earlier changes are made.

use resource_engine::{Event, Finished, VertexKey};
use resources::{Change, Effects, Failure, Sent, Uncertainty};

use crate::agent::event_loop::Agent;
use crate::agent::observer;

impl Agent<'_> {
    /// Returns which earlier planned changes a check cannot see.
    pub(super) fn unseen_before(&mut self, key: VertexKey) -> resources::Unseen {
        if self.context.plan.is_none() {
            return resources::Unseen::default();
        }
        resources::Unseen {
            elsewhere: self.unseen.missed_by(&self.engine, key, Effects::Files).is_some(),
            any: self.unseen.missed_by(&self.engine, key, Effects::Machine).is_some(),
        }
    }

    /// Returns whether a failure in a plan may be due to a change that was announced and not made.
    pub(super) fn is_unknown_in_plan(&mut self, key: VertexKey, effects: Effects, failure: &Failure) -> bool {
        self.context.plan.is_some()
            && !matches!(failure, Failure::Cancelled | Failure::Panic(_))
            && self.unseen.missed_by(&self.engine, key, effects).is_some()
    }

    /// Reports that the result of a check is unknown until earlier changes are made, and continues as if it changed something.
    pub(super) fn unknown(&mut self, key: VertexKey, effects: Effects, failure: &Failure) {
        let above = self.unseen.missed_by(&self.engine, key, effects);
        let after = above.and_then(|above| self.engine.id(above)).map(ToString::to_string).unwrap_or_default();
        self.report_unknown(key, format!("unknown until {after} has changed: {failure}"));
        self.events.push_back(Event::Finished(key, Finished { changed: true, sent: Vec::new(), result: Ok(()) }));
    }

    /// Reports that what a check does is known only when the plan is applied.
    pub(super) fn report_unknown(&mut self, key: VertexKey, why: String) {
        let Some(slot) = self.slots.get(key) else { return };
        let resource = &slot.resources[0];
        let (id, is_noop) = (resource.id.clone(), resource.meta.noop);
        let change = Change { uncertainty: Some(Uncertainty::Unknown(why)), ..Change::from("check again") };
        self.observer.event(observer::Event::Changed { resource, change: &change, noop: true });
        if self.context.plan.is_none() {
            self.summary.changes += 1;
            return;
        }
        if !is_noop {
            self.summary.changes += 1;
            self.unseen.add(key, Effects::Machine);
            self.unseen.add_uncertain(id);
            self.engine.mark_unknown(key);
        }
        self.unseen.pass_on(&self.engine, key);
    }

    /// Records the changes of a check for the checks that depend on it, says which of them are uncertain, and withholds what
    /// is sent before it is known. `depends_on_state` is that of the provider.
    pub(super) fn record_planned(
        &mut self,
        key: VertexKey,
        effects: Effects,
        depends_on_state: bool,
        changes: &mut [Change],
        sent: &mut Vec<Sent>,
    ) {
        let Some(id) = self.engine.id(key).cloned() else { return };
        let cause = self.unseen.uncertain_cause(&self.engine, key).cloned();
        let program = self.unseen.program_before(&self.engine, key).filter(|_| depends_on_state);
        let program = program.and_then(|program| self.engine.id(program));
        for change in changes.iter_mut().filter(|change| change.uncertainty.is_none()) {
            change.uncertainty = match (&cause, program) {
                (Some(cause), _) => Some(Uncertainty::MayNotHappen(format!("if {cause} changes something"))),
                (None, Some(program)) => Some(Uncertainty::MayDiffer(format!("unless {program} changes that first"))),
                (None, None) => None,
            };
        }
        let is_uncertain = changes.iter().all(|change| change.uncertainty.is_some());
        if is_uncertain && (cause.is_some() || !changes.is_empty()) {
            self.unseen.add_uncertain(id);
        }
        if !changes.is_empty() {
            self.unseen.add(key, effects);
            if effects != Effects::Files {
                sent.clear();
                self.engine.mark_unknown(key);
            }
        }
    }
}
