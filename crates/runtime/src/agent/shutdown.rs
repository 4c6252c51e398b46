//! How a run ends: by request or by signals, with increasing urgency (spec 06 §3.10).

use std::time::{Duration, Instant};

use resource_engine::StopLevel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// Time between two escalations of a shutdown that SIGTERM requested.
const ESCALATION_INTERVAL: Duration = Duration::from_secs(15);
/// How long a killed check may take to return before the process ends without it.
pub(super) const KILL_TIMEOUT: Duration = Duration::from_millis(200);

/// The progress of a shutdown.
#[derive(Debug, Default)]
pub(super) struct Shutdown {
    level: Option<StopLevel>,
    next_escalation: Option<Instant>,
    kill_deadline: Option<Instant>,
}

/// The number of signals received since the last look.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SignalCounts {
    pub(super) interrupts: usize,
    pub(super) terminations: usize,
    /// SIGQUIT: end soon, without waiting for running checks.
    pub(super) quits: usize,
    /// SIGHUP because the terminal is gone.
    pub(super) hangups: usize,
}

impl SignalCounts {
    /// Returns the number of the signal that is the reason of the shutdown.
    pub(super) fn signal(self) -> Option<i32> {
        let counts =
            [(self.interrupts, SIGINT), (self.quits, SIGQUIT), (self.terminations, SIGTERM), (self.hangups, SIGHUP)];
        counts.into_iter().find(|(count, _)| *count > 0).map(|(_, signal)| signal)
    }
}

/// A step to the next shutdown level, and what the user reads about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Escalation {
    pub(super) level: StopLevel,
    pub(super) text: String,
}

impl Shutdown {
    pub(super) fn is_requested(&self) -> bool {
        self.level.is_some()
    }

    /// Raises the level; returns whether it was lower before.
    pub(super) fn request(&mut self, level: StopLevel, now: Instant) -> bool {
        if self.level >= Some(level) {
            return false;
        }
        self.level = Some(level);
        if level == StopLevel::Kill {
            self.kill_deadline = Some(now + KILL_TIMEOUT);
        }
        true
    }

    /// Returns the escalations that the signals and the time ask for. SIGINT escalates once per signal; SIGTERM, if it
    /// came first, also by itself every [`ESCALATION_INTERVAL`].
    pub(super) fn escalate(&mut self, signals: SignalCounts, now: Instant) -> Vec<Escalation> {
        let mut escalations = Vec::new();
        let mut level = self.level;
        let SignalCounts { interrupts, terminations, quits, hangups } = signals;
        if level.is_none() && interrupts == 0 && terminations + quits + hangups > 0 {
            self.next_escalation = Some(now + ESCALATION_INTERVAL);
        }
        let reason = match signals.signal() {
            Some(SIGINT) => "interrupted by ^C",
            Some(SIGQUIT) => "interrupted by SIGQUIT",
            Some(SIGHUP) => "the terminal is gone",
            _ => "interrupted by SIGTERM",
        };
        if quits > 0 && level.is_none() {
            // Like the second signal of another kind.
            level = Some(StopLevel::Finish);
        }
        for _ in 0..interrupts + terminations + quits + hangups {
            escalations.push(Escalation::after(level, reason));
            level = escalations.last().map(|escalation| escalation.level);
        }
        if self.next_escalation.is_some_and(|at| at <= now) {
            let reason = format!("still exiting after {}s", ESCALATION_INTERVAL.as_secs());
            escalations.push(Escalation::after(level, &reason));
            level = escalations.last().map(|escalation| escalation.level);
            self.next_escalation = (level < Some(StopLevel::Kill)).then(|| now + ESCALATION_INTERVAL);
        }
        escalations
    }

    /// The next time at which [`Shutdown::escalate`] or [`Shutdown::is_overdue`] has to be called.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.next_escalation.into_iter().chain(self.kill_deadline).min()
    }

    pub(super) fn is_escalation_due(&self, now: Instant) -> bool {
        self.next_escalation.is_some_and(|at| at <= now)
    }

    /// Whether killed checks have not returned in time.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        self.kill_deadline.is_some_and(|at| at <= now)
    }
}

impl Escalation {
    fn after(level: Option<StopLevel>, reason: &str) -> Escalation {
        let (level, text) = match level {
            None => (StopLevel::Finish, reason.to_owned()),
            Some(StopLevel::Finish) => (StopLevel::Cancel, format!("{reason} (soft interrupt)")),
            Some(StopLevel::Cancel | StopLevel::Kill) => (StopLevel::Kill, format!("{reason} (hard interrupt)")),
        };
        Escalation { level, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Carries out what follows from the signals, and returns the levels.
    fn escalate(shutdown: &mut Shutdown, interrupts: usize, terminations: usize, now: Instant) -> Vec<StopLevel> {
        let signals = SignalCounts { interrupts, terminations, ..SignalCounts::default() };
        let escalations = shutdown.escalate(signals, now);
        for escalation in &escalations {
            shutdown.request(escalation.level, now);
        }
        escalations.into_iter().map(|escalation| escalation.level).collect()
    }

    #[test]
    fn each_interrupt_escalates_by_one_level() {
        let now = Instant::now();
        let mut shutdown = Shutdown::default();
        assert_eq!(escalate(&mut shutdown, 2, 0, now), [StopLevel::Finish, StopLevel::Cancel]);
        assert_eq!(shutdown.deadline(), None);
        assert_eq!(escalate(&mut shutdown, 1, 0, now), [StopLevel::Kill]);
        assert_eq!(shutdown.deadline(), Some(now + KILL_TIMEOUT));
        assert!(!shutdown.is_overdue(now) && shutdown.is_overdue(now + KILL_TIMEOUT));
    }

    #[test]
    fn termination_escalates_with_time_until_it_kills() {
        let mut now = Instant::now();
        let mut shutdown = Shutdown::default();
        assert_eq!(escalate(&mut shutdown, 0, 1, now), [StopLevel::Finish]);
        for level in [StopLevel::Cancel, StopLevel::Kill] {
            assert_eq!(escalate(&mut shutdown, 0, 0, now), []);
            now += ESCALATION_INTERVAL;
            assert!(shutdown.is_escalation_due(now));
            assert_eq!(escalate(&mut shutdown, 0, 0, now), [level]);
        }
        assert!(!shutdown.is_escalation_due(now + ESCALATION_INTERVAL));
    }

    #[test]
    fn termination_after_an_interrupt_does_not_escalate_with_time() {
        let now = Instant::now();
        let mut shutdown = Shutdown::default();
        escalate(&mut shutdown, 1, 0, now);
        assert_eq!(escalate(&mut shutdown, 0, 1, now), [StopLevel::Cancel]);
        assert!(!shutdown.is_escalation_due(now + ESCALATION_INTERVAL));
    }

    #[test]
    fn quit_skips_the_first_level() {
        let mut shutdown = Shutdown::default();
        let escalations = shutdown.escalate(SignalCounts { quits: 1, ..SignalCounts::default() }, Instant::now());
        assert_eq!(escalations.into_iter().map(|e| e.level).collect::<Vec<_>>(), [StopLevel::Cancel]);
    }

    #[test]
    fn lower_request_changes_nothing() {
        let now = Instant::now();
        let mut shutdown = Shutdown::default();
        assert!(shutdown.request(StopLevel::Cancel, now));
        assert!(!shutdown.request(StopLevel::Finish, now));
        assert!(!shutdown.request(StopLevel::Cancel, now));
        assert!(shutdown.request(StopLevel::Kill, now));
    }
}
