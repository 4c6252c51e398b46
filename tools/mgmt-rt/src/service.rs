//! The service manager: it learns when the agent is ready, reloads and stops, and restarts one that hangs.

use std::time::Duration;

use sd_notify::NotifyState;

/// The connection to the service manager, if it started this process with `NOTIFY_SOCKET`.
pub struct ServiceManager {
    /// How often the service manager expects a sign of life.
    watchdog: Option<Duration>,
    is_ready: bool,
    status: String,
}

impl ServiceManager {
    pub fn new() -> ServiceManager {
        let mut microseconds = 0;
        let is_watched = sd_notify::watchdog_enabled(false, &mut microseconds);
        let watchdog = is_watched.then(|| Duration::from_micros(microseconds));
        ServiceManager { watchdog, is_ready: false, status: String::new() }
    }

    /// Returns how often [`ServiceManager::alive`] should be called: twice as often as the service manager expects.
    pub fn interval(&self) -> Option<Duration> {
        self.watchdog.map(|interval| interval / 2)
    }

    /// The first graph is in force, or the program was loaded again.
    pub fn ready(&mut self) {
        if !std::mem::replace(&mut self.is_ready, true) {
            notify(&[NotifyState::Ready]);
        }
    }

    pub fn reloading(&mut self) {
        self.is_ready = false;
        match NotifyState::monotonic_usec_now() {
            Ok(now) => notify(&[NotifyState::Reloading, now]),
            Err(_) => notify(&[NotifyState::Reloading]),
        }
    }

    pub fn stopping(&self) {
        notify(&[NotifyState::Stopping]);
    }

    /// The event loop runs.
    pub fn alive(&self) {
        if self.watchdog.is_some() {
            notify(&[NotifyState::Watchdog]);
        }
    }

    /// Shows one line in `systemctl status`.
    pub fn status(&mut self, text: &str) {
        if self.status != text {
            text.clone_into(&mut self.status);
            notify(&[NotifyState::Status(text)]);
        }
    }
}

fn notify(states: &[NotifyState<'_>]) {
    // Without a service manager, this does nothing. One that does not listen changes nothing for the agent.
    let _ = sd_notify::notify(false, states);
}
