//! What the agent holds of each vertex.

use std::sync::Arc;
use std::time::{Duration, Instant};

use resource_engine::{Group, VertexKey};
use resources::{Cancel, Failure, Provider};

use crate::agent::damping::Changes;
use crate::agent::job::{mask_failure, sensitive_texts_of};
use crate::agent::memory::protect_memory;
use crate::agent::watching::ActiveWatches;

/// The time after which an unchanged failure is reported for the second time. It doubles with each report.
const FIRST_REPORT_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum time between two reports of an unchanged failure.
const MAX_REPORT_INTERVAL: Duration = Duration::from_secs(3600);

/// A failure that was reported.
struct ReportedFailure {
    text: String,
    at: Instant,
    /// The time until it is reported again.
    interval: Duration,
}

/// The implementation of a vertex and its sources of events.
pub(super) struct Slot {
    /// The leader and the members, with the values received so far.
    pub(super) resources: Group,
    pub(super) implementation: Implementation,
    /// Whether [`Provider::init`] succeeded.
    pub(super) initialised: bool,
    pub(super) watches: ActiveWatches,
    /// The failure that was reported last, until the resource works again.
    last_reported: Option<Box<ReportedFailure>>,
    /// How often it changed lately; `None` if it never did.
    pub(super) changes: Option<Box<Changes>>,
    /// The running check and its start.
    pub(super) running: Option<(Arc<Cancel>, Instant)>,
}

/// The state of an implementation.
pub(super) enum Implementation {
    Idle(Box<dyn Provider>),
    /// Moved to a worker.
    Running,
    /// Not made: the parameters are invalid, or what they name does not exist yet, such as the home of a new user.
    Invalid,
}

impl Slot {
    fn new(resources: Group) -> Slot {
        protect_memory(&resources);
        let implementation = match resources::build(&resources) {
            Ok(kind) => Implementation::Idle(kind),
            Err(_) => Implementation::Invalid,
        };
        Slot {
            resources,
            implementation,
            initialised: false,
            watches: ActiveWatches::default(),
            last_reported: None,
            changes: None,
            running: None,
        }
    }

    /// Whether a failure should be reported: it differs from the last one, or that was reported some time ago. Without
    /// this, a resource that is retried forever would report the same failure forever.
    pub(super) fn should_report(&mut self, failure: &Failure, now: Instant) -> bool {
        let text = failure.to_string();
        let mut interval = FIRST_REPORT_INTERVAL;
        if let Some(last) = self.last_reported.as_deref().filter(|last| last.text == text) {
            if now < last.at + last.interval {
                return false;
            }
            interval = (last.interval * 2).min(MAX_REPORT_INTERVAL);
        }
        self.last_reported = Some(Box::new(ReportedFailure { text, at: now, interval }));
        true
    }

    /// Returns the failure that was reported last, unless the resource works again.
    pub(super) fn failure(&self) -> Option<&str> {
        self.last_reported.as_deref().map(|last| &*last.text)
    }

    /// Forgets the last failure, and returns whether there was one.
    pub(super) fn recover(&mut self) -> bool {
        self.last_reported.take().is_some()
    }

    /// Whether there is no implementation yet.
    pub(super) fn is_invalid(&self) -> bool {
        matches!(self.implementation, Implementation::Invalid)
    }

    /// Takes the implementation for a check. If there is none, tries again to make it.
    ///
    /// # Errors
    /// The parameters are invalid, or a check is running. Sensitive values are masked.
    pub(super) fn take(&mut self) -> Result<Box<dyn Provider>, Failure> {
        match std::mem::replace(&mut self.implementation, Implementation::Running) {
            Implementation::Idle(kind) => Ok(kind),
            Implementation::Running => Err(Failure::Panic("a check of this resource is already running".to_owned())),
            Implementation::Invalid => {
                let built = resources::build(&self.resources);
                built.map_err(|mut failure| {
                    self.implementation = Implementation::Invalid;
                    mask_failure(&mut failure, &sensitive_texts_of(&self.resources));
                    failure
                })
            }
        }
    }
}

/// The slots of all vertices.
#[derive(Default)]
pub(super) struct Slots(Vec<Option<Slot>>);

impl Slots {
    /// Reserves capacity for a graph with this number of vertices.
    pub(super) fn reserve(&mut self, vertices: usize) {
        self.0.reserve_exact(vertices.saturating_sub(self.0.len()));
    }

    /// Makes the slot of a new vertex.
    pub(super) fn create(&mut self, key: VertexKey, resources: Group) {
        if self.0.len() <= key.index() {
            self.0.resize_with(key.index() + 1, || None);
        }
        self.0[key.index()] = Some(Slot::new(resources));
    }

    pub(super) fn remove(&mut self, key: VertexKey) -> Option<Slot> {
        self.0.get_mut(key.index())?.take()
    }

    pub(super) fn get(&self, key: VertexKey) -> Option<&Slot> {
        self.0.get(key.index())?.as_ref()
    }

    pub(super) fn get_mut(&mut self, key: VertexKey) -> Option<&mut Slot> {
        self.0.get_mut(key.index())?.as_mut()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.0.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.0.iter_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_implementation_is_tried_again_without_showing_sensitive_values() {
        use resource_graph::{Resource, ResourceId};
        let mut resource = Resource::new(ResourceId::new("exec", "e")).with("cmd", "true").with("sig", "hunter2");
        resource.sensitive.push("sig".into());
        let mut slot = Slot::new(resource.into());
        for _ in 0..2 {
            let failure = slot.take().map(|_| ()).expect_err("an invalid signal");
            assert_eq!(failure.to_string(), "unknown signal \"********\"");
        }
        assert!(slot.is_invalid());
        slot.resources = Resource::new(ResourceId::new("exec", "e")).with("cmd", "true").into();
        assert!(slot.take().is_ok());
    }

    #[test]
    fn slot_of_a_vertex_that_watches_only_paths_needs_little_memory() {
        // There is one for each resource, up to hundreds of thousands.
        assert!(size_of::<Slot>() <= 128, "{} bytes", size_of::<Slot>());
    }
}
