//! The state that the users of a bus share with its connection thread.

use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use rustix::process::geteuid;
use zbus::{Connection, Message};

/// Which bus to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    System,
    Session,
    #[cfg(test)]
    Address(String),
}

impl Endpoint {
    /// Returns the addresses to try, in order.
    pub(super) fn addresses(&self) -> Vec<String> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let addresses = match self {
            Endpoint::System => variable("DBUS_SYSTEM_BUS_ADDRESS")
                .unwrap_or_else(|| "unix:path=/run/dbus/system_bus_socket".to_owned()),
            Endpoint::Session => variable("DBUS_SESSION_BUS_ADDRESS").unwrap_or_else(|| {
                let default = || format!("/run/user/{}", geteuid().as_raw());
                format!("unix:path={}/bus", variable("XDG_RUNTIME_DIR").unwrap_or_else(default))
            }),
            #[cfg(test)]
            Endpoint::Address(address) => address.clone(),
        };
        addresses.split(';').filter(|address| !address.is_empty()).map(str::to_owned).collect()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Endpoint::System => "the system bus",
            Endpoint::Session => "the session bus",
            #[cfg(test)]
            Endpoint::Address(_) => "the bus",
        })
    }
}

/// Selects signals, like a match rule of D-Bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MatchRule {
    pub(crate) service: &'static str,
    pub(crate) interface: &'static str,
    /// Matches objects at or below this path.
    pub(crate) path_namespace: &'static str,
    /// The path, interface and name of a method that the service requires a call of before it sends signals.
    pub(crate) subscribe_method: Option<(&'static str, &'static str, &'static str)>,
}

/// Called for each signal, and with `None` when signals may have been lost.
///
/// The bus is locked during the call, so the handler must not use it.
pub(super) type SignalHandler = Box<dyn Fn(Option<&Message>) + Send + Sync>;

/// Everything that the clones of one bus and its connection thread share.
pub(super) struct Shared {
    pub(super) endpoint: Endpoint,
    state: Mutex<State>,
    /// Notified when a connection attempt ended, the connection was lost, or a rule became active.
    pub(super) changed: Condvar,
}

impl Shared {
    pub(super) fn new(endpoint: Endpoint) -> Shared {
        Shared { endpoint, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Locks the state. A panic while it is locked leaves it consistent, so poisoning is ignored.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, for at most `limit`.
    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) connection: Option<Connection>,
    /// Why the last connection attempt failed.
    pub(super) failure: String,
    /// The number of connection attempts that have ended.
    pub(super) attempts: u64,
    /// The number of the latest attempt that a caller waits for.
    pub(super) requested_attempt: u64,
    pub(super) thread_running: bool,
    /// Wakes the connection thread to process requests.
    pub(super) waker: Option<Waker>,
    pub(super) rules: FxHashMap<MatchRule, Interest>,
    /// The id of the newest subscription.
    pub(super) last_subscription: u64,
    /// Services whose activation failed, and when.
    pub(super) activation_failures: FxHashMap<&'static str, Instant>,
}

/// The subscribers to one rule.
#[derive(Default)]
pub(super) struct Interest {
    /// Subscription ids and their handlers.
    pub(super) handlers: Vec<(u64, SignalHandler)>,
    pub(super) progress: Progress,
}

impl Interest {
    /// Passes a signal to all subscribers; `None` tells them that signals may have been lost.
    pub(super) fn notify(&self, message: Option<&Message>) {
        self.handlers.iter().for_each(|(_, handler)| handler(message));
    }
}

/// Whether a rule is registered with the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    Unregistered,
    Requested,
    Active,
}
