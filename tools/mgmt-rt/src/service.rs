//! The service manager: it learns when the agent is ready, reloads and stops, and restarts one that hangs.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use sd_notify::NotifyState;

/// The connection to the service manager, if it started this process with `NOTIFY_SOCKET`.
pub struct ServiceManager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// What the service manager has not received, because it reads too slowly. It must not hold the agent up.
    unsent: VecDeque<String>,
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
        let socket = std::env::var_os("NOTIFY_SOCKET").and_then(open);
        ServiceManager { socket, unsent: VecDeque::new(), watchdog, is_ready: false, status: String::new() }
    }

    /// Returns how often [`ServiceManager::alive`] should be called: twice as often as the service manager expects.
    pub fn interval(&self) -> Option<Duration> {
        self.watchdog.map(|interval| interval / 2)
    }

    /// The first graph is in force, or the program was loaded again.
    pub fn ready(&mut self) {
        if !std::mem::replace(&mut self.is_ready, true) {
            self.notify(&[NotifyState::Ready]);
        }
    }

    pub fn reloading(&mut self) {
        self.is_ready = false;
        match NotifyState::monotonic_usec_now() {
            Ok(now) => self.notify(&[NotifyState::Reloading, now]),
            Err(_) => self.notify(&[NotifyState::Reloading]),
        }
    }

    pub fn stopping(&mut self) {
        self.notify(&[NotifyState::Stopping]);
    }

    /// The event loop runs.
    pub fn alive(&mut self) {
        // What waits tells the same.
        if self.watchdog.is_some() && self.unsent.is_empty() {
            self.notify(&[NotifyState::Watchdog]);
        }
        self.send();
    }

    /// Shows one line in `systemctl status`.
    pub fn status(&mut self, text: &str) {
        if self.status != text {
            text.clone_into(&mut self.status);
            self.unsent.retain(|message| !message.starts_with("STATUS="));
            self.notify(&[NotifyState::Status(text)]);
        }
    }

    fn notify(&mut self, states: &[NotifyState<'_>]) {
        if self.socket.is_some() {
            self.unsent.push_back(states.iter().map(|state| format!("{state}\n")).collect());
            self.send();
        }
    }

    /// Sends what waits, as far as the service manager takes it. One that is gone changes nothing for the agent.
    fn send(&mut self) {
        let Some((socket, address)) = &self.socket else { return };
        while let Some(message) = self.unsent.front() {
            match socket.send_to_addr(message.as_bytes(), address) {
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return,
                Ok(_) | Err(_) => drop(self.unsent.pop_front()),
            }
        }
    }
}

/// Opens a socket that sends to an address: a path, or a name of Linux after `@`.
fn open(address: OsString) -> Option<(UnixDatagram, SocketAddr)> {
    let address = match address.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
        _ => SocketAddr::from_pathname(&address),
    };
    let socket = UnixDatagram::unbound().ok()?;
    socket.set_nonblocking(true).ok()?;
    Some((socket, address.ok()?))
}
