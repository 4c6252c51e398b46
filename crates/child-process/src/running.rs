//! How many processes of this program run now.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The processes that [`crate::spawn`] started and that have not ended.
static RUNNING: Mutex<usize> = Mutex::new(0);
/// Notified when one of them ends.
static ENDED: Condvar = Condvar::new();

/// Counts a running process.
#[derive(Debug)]
pub(crate) struct RunningCount(());

impl RunningCount {
    pub(crate) fn new() -> RunningCount {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        RunningCount(())
    }
}

impl Drop for RunningCount {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}

/// Returns the number of running processes.
pub(crate) fn running() -> usize {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until a process ends, at most this long, and returns how many were running before.
pub(crate) fn wait_for_end(timeout: Duration) -> usize {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let before = *running;
    drop(ENDED.wait_timeout(running, timeout));
    before
}
