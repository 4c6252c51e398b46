//! What the shell holds of one vertex.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use resource_engine::Group;
use resources::{Cancel, CancelLevel, Failure, Kind};

use crate::shell::watcher::{Subscription, Watcher};

/// How long the same failure is not told again.
const REPEAT: Duration = Duration::from_secs(60);

/// The implementation of a vertex and everything that feeds it.
pub(super) struct Slot {
    /// Leader and members, with the values received so far.
    pub(super) resources: Group,
    pub(super) kind: Implementation,
    pub(super) initialised: bool,
    /// The epoch of the watches in place.
    pub(super) epoch: u32,
    pub(super) subscriptions: Vec<Subscription>,
    pub(super) periods: Vec<Duration>,
    pub(super) tasks: Vec<(Arc<Cancel>, JoinHandle<()>)>,
    /// What ends the sources that are shared with others.
    pub(super) listenings: Vec<Box<dyn Send>>,
    /// The failure that was told last, and when.
    told: Option<Box<(String, Instant)>>,
    /// Of the running check, with its start.
    pub(super) running: Option<(Arc<Cancel>, Instant)>,
}

/// Where the implementation is.
pub(super) enum Implementation {
    Here(Box<dyn Kind>),
    /// On a worker.
    Away,
    /// The parameters are not valid.
    Invalid(String),
}

impl Slot {
    pub(super) fn new(resources: Group) -> Slot {
        let kind = match resources::build(&resources) {
            Ok(kind) => Implementation::Here(kind),
            Err(failure) => Implementation::Invalid(failure.to_string()),
        };
        Slot {
            resources,
            kind,
            initialised: false,
            epoch: 0,
            subscriptions: Vec::new(),
            periods: Vec::new(),
            tasks: Vec::new(),
            listenings: Vec::new(),
            told: None,
            running: None,
        }
    }

    /// Whether a failure is worth telling: not the same again within a minute, as attempts without limit make it.
    pub(super) fn is_news(&mut self, failure: &Failure, now: Instant) -> bool {
        let text = failure.to_string();
        if self.told.as_ref().is_some_and(|told| told.0 == text && now < told.1 + REPEAT) {
            return false;
        }
        self.told = Some(Box::new((text, now)));
        true
    }

    /// Takes the implementation for a check.
    pub(super) fn take(&mut self) -> Result<Box<dyn Kind>, Failure> {
        match std::mem::replace(&mut self.kind, Implementation::Away) {
            Implementation::Here(kind) => Ok(kind),
            Implementation::Away => Err(Failure::Panic("a check of this resource runs already".to_owned())),
            Implementation::Invalid(text) => {
                self.kind = Implementation::Invalid(text.clone());
                Err(Failure::Invalid(text))
            }
        }
    }

    /// Ends everything that feeds the vertex.
    pub(super) fn unwatch(&mut self, watcher: &mut Watcher) {
        for subscription in self.subscriptions.drain(..) {
            watcher.unsubscribe(subscription);
        }
        for (cancel, _) in self.tasks.drain(..) {
            cancel.request(CancelLevel::Cancel);
        }
        self.listenings.clear();
        self.periods.clear();
        self.epoch = 0;
    }
}
