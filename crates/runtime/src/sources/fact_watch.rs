//! Watching the facts of this machine that a catalog was compiled with.

use std::time::Duration;

use pp_environment::HostFacts;

use crate::sources::fact_events::FactEvents;
use crate::sources::manifests::HostFactUse;
use crate::sources::state::SourceState;

/// Time between two looks at facts that change all the time, such as free memory, if the catalog reads one.
const MEASUREMENT_INTERVAL: Duration = Duration::from_secs(300);

/// What the catalog read, and the watches that belong to it. Facts that nobody reads have none.
#[derive(Default)]
pub(super) struct FactWatch {
    facts: Option<HostFactUse>,
    events: Option<FactEvents>,
    /// When to look at measurements, as time since the start.
    measure_at: Option<Duration>,
}

impl FactWatch {
    /// Watches the facts that the last compilation read. One that read none, such as a failed one, keeps the watches.
    pub(super) fn follow(&mut self, facts: Option<HostFactUse>, state: &SourceState) {
        let Some(facts) = facts else { return };
        if !facts.are_announced() {
            self.events = None;
        } else if self.events.is_none() {
            let waker = state.clone();
            self.events = FactEvents::start(move || waker.report_fact_event());
            // Something may have happened since the facts were gathered.
            state.report_fact_event();
        }
        self.measure_at = facts.are_measurements().then(|| state.elapsed() + MEASUREMENT_INTERVAL);
        self.facts = Some(facts);
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.measure_at
    }

    /// Whether the catalog has to be compiled again. Reads the facts only after an event, or when it is time to.
    pub(super) fn have_changed(&mut self, state: &SourceState) -> bool {
        let is_due = self.measure_at.is_some_and(|at| at <= state.elapsed());
        let is_event = state.take_fact_event();
        let Some(facts) = self.facts.as_ref().filter(|_| is_due || is_event) else { return false };
        if is_due {
            self.measure_at = Some(state.elapsed() + MEASUREMENT_INTERVAL);
        }
        is_event && facts.kernel_state_has_changed() || is_due && facts.measurements_have_changed()
    }

    /// Returns the facts of the last compilation.
    pub(super) fn known(&self) -> Option<&HostFacts> {
        self.facts.as_ref().map(HostFactUse::facts)
    }
}
