//! The token bucket of `Meta:limit` and `Meta:burst`.

use std::time::Duration;

use crate::event::Time;

/// A number of events per second, with bursts.
#[derive(Clone, Debug)]
pub(super) struct Limiter {
    rate: f64,
    burst: f64,
    tokens: f64,
    at: Time,
}

impl Limiter {
    /// Makes a limiter for `rate` events per second; `None` if the rate is unlimited.
    pub(super) fn new(rate: f64, burst: i64, now: Time) -> Option<Limiter> {
        // mcl's "infinite" is the largest finite number (spec 05 §2.2).
        if rate >= f64::MAX {
            return None;
        }
        let burst = burst.max(1) as f64;
        Some(Limiter { rate, burst, tokens: burst, at: now })
    }

    /// Takes a token and returns when it may be used. Events that come before that share it.
    pub(super) fn reserve(&mut self, now: Time) -> Time {
        let elapsed = now.saturating_sub(self.at).as_secs_f64();
        self.tokens = (self.tokens + elapsed * self.rate).min(self.burst);
        self.at = now;
        self.tokens -= 1.0;
        if self.tokens >= 0.0 {
            return now;
        }
        let wait = -self.tokens / self.rate;
        now + Duration::try_from_secs_f64(wait).unwrap_or(Duration::from_secs(86_400 * 365))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn burst_passes_at_once_and_the_rest_at_the_rate() {
        let at = Duration::from_secs;
        let mut limiter = Limiter::new(1.0, 2, at(0)).unwrap();
        assert_eq!([limiter.reserve(at(0)), limiter.reserve(at(0)), limiter.reserve(at(0))], [at(0), at(0), at(1)]);
        assert_eq!(limiter.reserve(at(100)), at(100));
    }
}
