//! Blocks a thread on a future, with a time limit.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use crate::Cancel;

/// How often a blocked thread checks whether it was cancelled.
pub(super) const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Why a wait ended without a result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WaitError {
    TimedOut,
    Cancelled,
}

/// Wakes a parked thread.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls the future until it completes, `limit` is over, or the check is cancelled. The connection thread drives what the
/// future waits for.
pub(super) fn wait<F: Future>(future: F, limit: Duration, cancel: &Cancel) -> Result<F::Output, WaitError> {
    let end = Instant::now() + limit;
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Ok(output);
        }
        if cancel.is_cancelled() {
            return Err(WaitError::Cancelled);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(WaitError::TimedOut);
        }
        std::thread::park_timeout(left.min(CANCEL_POLL_INTERVAL));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CancelLevel;

    #[test]
    fn a_wait_ends_with_its_future_its_time_or_a_request() {
        let cancel = Cancel::new();
        assert_eq!(wait(std::future::ready(7), Duration::ZERO, &cancel), Ok(7));
        let never = std::future::pending::<()>;
        assert_eq!(wait(never(), Duration::from_millis(1), &cancel), Err(WaitError::TimedOut));
        cancel.request(CancelLevel::Cancel);
        assert_eq!(wait(never(), Duration::from_secs(60), &cancel), Err(WaitError::Cancelled));
    }
}
