//! Removing what resources kept that left the program long ago.

use std::time::{Duration, Instant, SystemTime};

use mcl_diagnostics::Code;

use crate::agent::event_loop::Agent;

/// Time between two looks for state that nobody needs.
const INTERVAL: Duration = Duration::from_secs(3600);

impl Agent<'_> {
    /// Schedules the first look, once there is a graph whose resources need state.
    pub(super) fn schedule_housekeeping(&mut self, now: Instant) {
        if self.keeps_state && self.housekeeping.is_none() {
            self.housekeeping = Some(now + INTERVAL);
        }
    }

    /// Removes the state of resources that left the program long ago, if that is due.
    pub(super) fn remove_unused_state_if_due(&mut self, now: Instant) {
        if self.housekeeping.is_some_and(|at| at <= now) {
            self.remove_unused_state(now);
        }
    }

    /// Removes the state of resources that left the program long ago, if there may be any.
    pub(super) fn remove_unused_state(&mut self, now: Instant) {
        let is_kept = self.housekeeping.is_some();
        let Some(state) = self.context.state.as_ref().filter(|_| is_kept) else { return };
        let present = self.slots.iter().flat_map(|slot| slot.resources.iter()).map(|resource| &resource.id);
        let removed = state.remove_unused(present, SystemTime::now());
        self.housekeeping = Some(now + INTERVAL);
        if let Err(error) = removed {
            self.report_problem(Code::R0410, format!("cannot remove state that is not needed any more: {error}"));
        }
    }
}
