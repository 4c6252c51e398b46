//! `timer`: an event at regular intervals (spec 05 §6.18).

use std::time::{Duration, Instant};

use resource_graph::Resource;

use crate::{Context, Failure, Params, Provider, Watch};

struct Timer {
    interval: Duration,
    /// The time of the last tick, or of the first check.
    last: Option<Instant>,
}

pub(super) fn build(resources: &[Resource]) -> Result<Box<dyn Provider>, Failure> {
    Ok(Box::new(Timer { interval: interval(&resources[0])?, last: None }))
}

fn interval(resource: &Resource) -> Result<Duration, Failure> {
    match Params::new(resource).int("interval")? {
        seconds @ 1.. => Ok(Duration::from_secs(seconds.unsigned_abs())),
        _ => Err(Failure::Invalid("`interval` must be at least 1 second".to_owned())),
    }
}

impl Provider for Timer {
    /// Announces a tick as a change, so that it notifies other resources. Tolerates a clock that wakes slightly early.
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure> {
        let now = Instant::now();
        let slack = Duration::from_millis(20).min(self.interval / 2);
        let due = self.last.is_some_and(|last| now.duration_since(last) + slack >= self.interval);
        if cx.refresh() {
            if cx.change("restart the interval")? {
                self.last = Some(now);
            }
        } else if due {
            self.last = Some(now);
            cx.change("tick")?;
        } else if self.last.is_none() {
            self.last = Some(now);
        }
        Ok(())
    }

    fn watches(&self) -> Vec<Watch> {
        vec![Watch::Every(self.interval)]
    }

    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure> {
        self.interval = interval(&resources[0])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckRequest;
    use crate::provider_test::{ProviderTest, resource};

    #[test]
    fn the_first_check_is_not_a_tick() {
        let mut test = ProviderTest::new(&resource("timer", "t").with("interval", 3600));
        test.assert_unchanged();
        test.assert_unchanged();
        test.refresh = true;
        assert_eq!(test.run(false).unwrap().changes.len(), 1);
    }

    #[test]
    fn a_tick_is_a_change_after_the_interval() {
        let mut timer =
            Timer { interval: Duration::from_secs(5), last: Instant::now().checked_sub(Duration::from_secs(6)) };
        assert!(timer.last.is_some(), "the machine has been up for six seconds");
        let (apply_context, cancel) = (crate::ApplyContext::default(), crate::Cancel::new());
        let id = resource_graph::ResourceId::new("timer", "t");
        let mut cx = Context::new(CheckRequest::new(&id, &apply_context, &cancel, true));
        timer.check_apply(&mut cx).unwrap();
        assert!(cx.is_changed());
        let mut cx = Context::new(CheckRequest::new(&id, &apply_context, &cancel, true));
        timer.check_apply(&mut cx).unwrap();
        assert!(!cx.is_changed());
    }
}
