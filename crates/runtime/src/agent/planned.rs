//! The changes of a plan: recorded while it is made, compared with those of another plan, and permitted while it is applied.

use std::collections::BTreeMap;
use std::fmt;

use mcl_diagnostics::{Diagnostic, Stage};
use resource_engine::EngineGraph;
use resource_graph::{ResourceId, masked};
use resources::{Change, Digests, Failure, Uncertainty};
use serde::{Deserialize, Serialize};

use crate::agent::observer::{Event, Observer};

/// Whether a planned change happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Certainty {
    Certain,
    /// It may not happen.
    Possible,
    /// Earlier programs may change what it depends on, such as the content that it replaces.
    MayDiffer,
    /// The resource may make any changes.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PlannedChange {
    /// The description, with sensitive values masked.
    text: String,
    certainty: Certainty,
    /// `None` if the change has no contents, or none that can be foreseen.
    digests: Option<Digests>,
}

impl PlannedChange {
    /// Whether a change leads to the planned contents, from others that an earlier program of the plan may have left.
    fn is_same_result(&self, change: &Change) -> bool {
        let after = |digests: &Option<Digests>| digests.as_ref().and_then(|digests| digests.after);
        self.certainty == Certainty::MayDiffer
            && after(&self.digests).is_some()
            && after(&self.digests) == after(&change.digests)
    }
}

/// The changes of a plan, by the names of their resources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedChanges(BTreeMap<String, Vec<PlannedChange>>);

/// A resource whose changes differ between two plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanDifference {
    /// The resource, such as `file[/etc/motd]`.
    pub resource: String,
    /// The texts of the changes that were planned before.
    pub before: Vec<String>,
    /// The texts of those that are needed now.
    pub now: Vec<String>,
}

impl PlannedChanges {
    /// The number of resources with changes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns what differs in a plan that was made later, in the order of the resources' names.
    #[must_use]
    pub fn differences(&self, now: &PlannedChanges) -> Vec<PlanDifference> {
        let mut names: Vec<&String> = self.0.keys().chain(now.0.keys()).collect();
        names.sort_unstable();
        names.dedup();
        let texts = |changes: Option<&Vec<PlannedChange>>| {
            changes.into_iter().flatten().map(|change| change.text.clone()).collect::<Vec<_>>()
        };
        let differing = names.into_iter().filter(|name| self.0.get(*name) != now.0.get(*name));
        differing
            .map(|name| PlanDifference {
                resource: name.clone(),
                before: texts(self.0.get(name)),
                now: texts(now.0.get(name)),
            })
            .collect()
    }

    /// Permits a change that is in the plan. `sensitive` are the texts that are masked in it.
    ///
    /// # Errors
    /// The change is not in the plan, or the contents have changed since.
    pub(super) fn permit(&self, id: &ResourceId, change: &Change, sensitive: &[String]) -> Result<(), Failure> {
        let planned = self.0.get(&id.to_string()).map_or(&[][..], Vec::as_slice);
        if planned.iter().any(|planned| planned.certainty == Certainty::Unknown) {
            return Ok(());
        }
        let text = masked(&change.text, sensitive);
        if planned.iter().any(|planned| planned.is_same_result(change)) {
            return Ok(());
        }
        let mut same_text = planned.iter().filter(|planned| planned.text == text).peekable();
        if same_text.peek().is_none() {
            return Err(Failure::Unplanned(format!("not in the plan: {text}")));
        }
        if same_text.any(|planned| planned.digests.is_none() || planned.digests == change.digests) {
            return Ok(());
        }
        Err(Failure::Unplanned(format!("the contents have changed since they were planned: {text}")))
    }
}

impl fmt::Display for PlanDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |texts: &[String]| match texts {
            [] => "no change".to_owned(),
            texts => texts.join(", "),
        };
        let (before, now) = (list(&self.before), list(&self.now));
        if before == now {
            write!(f, "{}: {now}, with other contents", self.resource)
        } else {
            write!(f, "{}: {now} (planned: {before})", self.resource)
        }
    }
}

/// Records the changes of a plan while another observer shows them.
pub struct PlanRecorder<'o> {
    changes: PlannedChanges,
    observer: Option<&'o mut dyn Observer>,
    failures: Vec<Diagnostic>,
}

impl<'o> PlanRecorder<'o> {
    /// Makes a recorder that passes the events on.
    #[must_use]
    pub fn new(observer: Option<&'o mut dyn Observer>) -> PlanRecorder<'o> {
        PlanRecorder { changes: PlannedChanges::default(), observer, failures: Vec::new() }
    }

    /// Returns the changes of the plan of this graph, and its failures.
    #[must_use]
    pub fn finish(mut self, graph: &EngineGraph) -> (PlannedChanges, Vec<Diagnostic>) {
        // A value that is made when it is applied, such as a password, is another one each time.
        let name = |group: u32| graph.groups()[group as usize][0].id.to_string();
        let changes = &mut self.changes.0;
        for group in graph.depending_on_values_of(|sender| changes.contains_key(&name(sender))) {
            changes.get_mut(&name(group)).into_iter().flatten().for_each(|change| change.digests = None);
        }
        (self.changes, self.failures)
    }
}

impl Observer for PlanRecorder<'_> {
    fn event(&mut self, event: Event<'_>) {
        match &event {
            // What `Meta:noop` forbids is not made when the plan is applied.
            Event::Changed { resource, change, .. } if !resource.meta.noop => {
                let certainty = match &change.uncertainty {
                    None => Certainty::Certain,
                    Some(Uncertainty::MayNotHappen(_)) => Certainty::Possible,
                    Some(Uncertainty::MayDiffer(_)) => Certainty::MayDiffer,
                    Some(Uncertainty::Unknown(_)) => Certainty::Unknown,
                };
                let planned = PlannedChange { text: change.text.clone(), certainty, digests: change.digests };
                self.changes.0.entry(resource.id.to_string()).or_default().push(planned);
            }
            Event::Failed { resource, failure, .. } => {
                let message = format!("{}: {failure}", resource.id);
                let diagnostic = Diagnostic::error(failure.code(), Stage::Engine, message);
                self.failures.push(diagnostic.maybe_at(resource.span));
            }
            Event::Problem(diagnostic) => self.failures.push((*diagnostic).clone()),
            Event::Changed { .. }
            | Event::Message { .. }
            | Event::Recovered { .. }
            | Event::Swapped { .. }
            | Event::Converged(_)
            | Event::Diverged
            | Event::Reloading
            | Event::Reloaded(_)
            | Event::Status(_)
            | Event::Stopping(_) => {}
        }
        if let Some(observer) = &mut self.observer {
            observer.event(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::Code;

    use super::*;

    fn digests(content: u8) -> Option<Digests> {
        Some(Digests { before: None, after: Some([content; 32]) })
    }

    fn change(text: &str, content: u8) -> Change {
        Change { digests: digests(content), ..Change::from(text) }
    }

    fn planned(certainty: Certainty) -> PlannedChanges {
        let change = PlannedChange { text: "set ********".to_owned(), certainty, digests: digests(1) };
        PlannedChanges([("file[/x]".to_owned(), vec![change])].into())
    }

    #[test]
    fn only_planned_changes_with_planned_contents_are_permitted() {
        let plan = planned(Certainty::Certain);
        let permits = |name: &str, text: &str, content| {
            let id = ResourceId::new("file", name);
            plan.permit(&id, &change(text, content), &["secret".to_owned()]).is_ok()
        };
        assert!(permits("/x", "set secret", 1));
        assert!(!permits("/x", "set secret", 2));
        assert!(!permits("/x", "set other", 1));
        assert!(!permits("/y", "set secret", 1));
    }

    #[test]
    fn any_change_is_permitted_to_a_resource_that_is_unknown() {
        let plan = planned(Certainty::Unknown);
        assert!(plan.permit(&ResourceId::new("file", "/x"), &change("anything", 9), &[]).is_ok());
        assert!(plan.permit(&ResourceId::new("file", "/y"), &change("anything", 9), &[]).is_err());
    }

    #[test]
    fn a_refusal_does_not_reveal_sensitive_values() {
        let id = ResourceId::new("file", "/y");
        let failure = planned(Certainty::Certain).permit(&id, &change("set secret", 1), &["secret".to_owned()]);
        let failure = failure.expect_err("not in the plan");
        assert_eq!(failure.code(), Code::R0415);
        assert_eq!(failure.to_string(), "not in the plan: set ********");
    }

    #[test]
    fn differences_say_what_was_planned() {
        let text = |before: &PlannedChanges, now: &PlannedChanges| {
            before.differences(now).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let (some, none) = (planned(Certainty::Certain), PlannedChanges::default());
        assert_eq!(text(&some, &some), [""; 0]);
        assert_eq!(text(&none, &some), ["file[/x]: set ******** (planned: no change)"]);
        assert_eq!(text(&some, &none), ["file[/x]: no change (planned: set ********)"]);
        assert_eq!(text(&some, &planned(Certainty::Unknown)), ["file[/x]: set ********, with other contents"]);
    }
}
