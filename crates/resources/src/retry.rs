//! Retries changes that another process interfered with.

use crate::Failure;

/// Maximum number of attempts at a change that another process interferes with.
const MAX_ATTEMPTS: u32 = 3;

/// Runs `attempt` again, up to [`MAX_ATTEMPTS`] times in all, while it fails with [`Failure::Disturbed`].
pub(crate) fn retry_if_disturbed(mut attempt: impl FnMut() -> Result<(), Failure>) -> Result<(), Failure> {
    for _ in 1..MAX_ATTEMPTS {
        match attempt() {
            Err(Failure::Disturbed(_)) => {}
            result => return result,
        }
    }
    attempt()
}
