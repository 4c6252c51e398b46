//! The exit status that resources can request.

use std::sync::atomic::{AtomicU16, Ordering};

/// The exit status that a resource requested; the first request wins.
#[derive(Debug, Default)]
pub struct ExitRequest {
    /// The status plus one; 0 without a request.
    status: AtomicU16,
}

impl ExitRequest {
    /// Requests an exit with this status.
    pub fn request(&self, status: u8) {
        let _ = self.status.compare_exchange(0, u16::from(status) + 1, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Returns the requested status.
    #[must_use]
    pub fn requested(&self) -> Option<u8> {
        self.status.load(Ordering::SeqCst).checked_sub(1).and_then(|status| u8::try_from(status).ok())
    }
}
