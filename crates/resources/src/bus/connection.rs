//! The client side of a bus: method calls and subscriptions.

use std::sync::{Arc, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::{Connection, DynamicType, Message, OwnedVariant, Type};

use crate::Cancel;
use crate::bus::state::{Endpoint, MatchRule, Progress, Shared, State};
use crate::bus::wait::{CANCEL_POLL_INTERVAL, WaitError, wait};
use crate::bus::{BusError, DBUS, Object, thread};

/// Maximum time to wait for the reply to a method call, unless the caller sets another limit.
const CALL_TIMEOUT: Duration = Duration::from_secs(25);

/// Maximum time for the connection thread to notice a lost connection.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a failed activation of a service is remembered: the bus may take long to report it.
const ACTIVATION_FAILURE_TTL: Duration = Duration::from_secs(60);

/// A message bus. Clones are cheap and share one connection.
#[derive(Clone)]
pub(crate) struct Bus(Arc<Shared>);

/// A subscription to signals, which ends when it is dropped.
pub(crate) struct Subscription {
    bus: Bus,
    rule: MatchRule,
    id: u64,
}

impl Bus {
    fn new(endpoint: Endpoint) -> Bus {
        Bus(Arc::new(Shared::new(endpoint)))
    }

    /// Returns the bus of the machine.
    pub(crate) fn system() -> Bus {
        static BUS: OnceLock<Bus> = OnceLock::new();
        BUS.get_or_init(|| Bus::new(Endpoint::System)).clone()
    }

    /// Returns the bus of the user.
    pub(crate) fn session() -> Bus {
        static BUS: OnceLock<Bus> = OnceLock::new();
        BUS.get_or_init(|| Bus::new(Endpoint::Session)).clone()
    }

    #[cfg(test)]
    pub(super) fn at_address(address: &str) -> Bus {
        Bus::new(Endpoint::Address(address.to_owned()))
    }

    /// Calls a method and waits for its reply, for at most [`CALL_TIMEOUT`].
    pub(crate) fn call<B>(
        &self,
        object: Object<'_>,
        method: &str,
        body: &B,
        cancel: &Cancel,
    ) -> Result<Message, BusError>
    where
        B: Serialize + DynamicType,
    {
        self.call_within(CALL_TIMEOUT, object, method, body, cancel)
    }

    /// Calls a method and waits for its reply, for at most `limit`.
    pub(crate) fn call_within<B>(
        &self,
        limit: Duration,
        object: Object<'_>,
        method: &str,
        body: &B,
        cancel: &Cancel,
    ) -> Result<Message, BusError>
    where
        B: Serialize + DynamicType,
    {
        let what = format!("{method} of {}", object.service);
        let mut is_retry = false;
        loop {
            let connection = self.connection(cancel)?;
            let call = connection.call_method(Some(object.service), object.path, Some(object.interface), method, body);
            match wait(call, limit, cancel) {
                // The bus was restarted during the call. All calls that are made here are safe to repeat.
                Ok(Err(zbus::Error::InputOutput(_))) if !is_retry => {
                    is_retry = true;
                    self.wait_for_disconnect(&connection);
                }
                Ok(reply) => return reply.map_err(|error| BusError::new(&error, &what)),
                Err(WaitError::TimedOut) => return Err(BusError::TimedOut(what)),
                Err(WaitError::Cancelled) => return Err(BusError::Cancelled),
            }
        }
    }

    /// Waits until the connection thread has noticed that this connection is lost.
    fn wait_for_disconnect(&self, lost: &Connection) {
        let end = Instant::now() + DISCONNECT_TIMEOUT;
        let mut state = self.lock();
        let is_same = |current: &Connection| current.unique_name() == lost.unique_name();
        while state.connection.as_ref().is_some_and(is_same) && Instant::now() < end {
            state = self.0.wait(state, CANCEL_POLL_INTERVAL);
        }
    }

    /// Calls a method and decodes its reply.
    pub(crate) fn query<B, R>(&self, object: Object<'_>, method: &str, body: &B, cancel: &Cancel) -> Result<R, BusError>
    where
        B: Serialize + DynamicType,
        R: DeserializeOwned + Type,
    {
        let reply = self.call(object, method, body, cancel)?;
        reply.body().deserialize().map_err(|error| BusError::InvalidReply(format!("{method}: {error}")))
    }

    /// Returns a property that is a string.
    pub(crate) fn string_property(
        &self,
        object: Object<'_>,
        property: &str,
        cancel: &Cancel,
    ) -> Result<String, BusError> {
        let properties = Object { interface: "org.freedesktop.DBus.Properties", ..object };
        let value: OwnedVariant = self.query(properties, "Get", &(object.interface, property), cancel)?;
        String::try_from(value).map_err(|_| BusError::InvalidReply(format!("{property}: expected a string")))
    }

    /// Returns whether a service is running or could be activated.
    pub(crate) fn is_available(&self, service: &'static str, cancel: &Cancel) -> Result<bool, BusError> {
        let is_owned: bool = self.query(DBUS, "NameHasOwner", &(service,), cancel)?;
        if is_owned {
            return Ok(true);
        }
        let activatable: Vec<String> = self.query(DBUS, "ListActivatableNames", &(), cancel)?;
        if !activatable.iter().any(|name| name == service) {
            return Ok(false);
        }
        let failed_at = self.lock().activation_failures.get(service).copied();
        if failed_at.is_some_and(|at| at.elapsed() < ACTIVATION_FAILURE_TTL) {
            return Ok(false);
        }
        match self.call(DBUS, "StartServiceByName", &(service, 0_u32), cancel) {
            Ok(_) => Ok(true),
            // The service is installed but cannot run here, as in a container without an init system.
            Err(BusError::MethodError { .. } | BusError::TimedOut(_)) => {
                self.lock().activation_failures.insert(service, Instant::now());
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Calls `handler` for each signal that matches the rule, until the result is dropped.
    pub(crate) fn subscribe(
        &self,
        rule: MatchRule,
        handler: impl Fn(Option<&Message>) + Send + Sync + 'static,
    ) -> Subscription {
        let mut state = self.lock();
        state.last_subscription += 1;
        let id = state.last_subscription;
        let interest = state.rules.entry(rule).or_default();
        if interest.progress == Progress::Active {
            // Signals before the subscription are lost.
            handler(None);
        }
        interest.handlers.push((id, Box::new(handler)));
        self.wake_thread(&mut state);
        Subscription { bus: self.clone(), rule, id }
    }

    /// Waits until the bus delivers the signals of a subscription, for at most [`CALL_TIMEOUT`].
    pub(crate) fn wait_until_active(&self, subscription: &Subscription, cancel: &Cancel) -> Result<(), BusError> {
        let _connection = self.connection(cancel)?;
        let end = Instant::now() + CALL_TIMEOUT;
        let mut state = self.lock();
        loop {
            if state.rules.get(&subscription.rule).is_some_and(|interest| interest.progress == Progress::Active) {
                return Ok(());
            }
            if state.connection.is_none() {
                return Err(BusError::Unreachable(state.failure.clone()));
            }
            if cancel.is_cancelled() {
                return Err(BusError::Cancelled);
            }
            if Instant::now() >= end {
                return Err(BusError::TimedOut(format!("AddMatch for signals of {}", subscription.rule.service)));
            }
            state = self.0.wait(state, CANCEL_POLL_INTERVAL);
        }
    }

    /// Returns the connection; waits for a new attempt if there is none.
    fn connection(&self, cancel: &Cancel) -> Result<Connection, BusError> {
        let mut state = self.lock();
        let attempt = state.attempts + 1;
        loop {
            if let Some(connection) = state.connection.as_ref().filter(|connection| !connection.is_closed()) {
                return Ok(connection.clone());
            }
            if state.attempts >= attempt {
                return Err(BusError::Unreachable(state.failure.clone()));
            }
            if cancel.is_cancelled() {
                return Err(BusError::Cancelled);
            }
            if state.requested_attempt < attempt {
                state.requested_attempt = attempt;
                self.wake_thread(&mut state);
            }
            state = self.0.wait(state, CANCEL_POLL_INTERVAL);
        }
    }

    /// Starts the connection thread, or makes it process new requests.
    fn wake_thread(&self, state: &mut State) {
        if !state.thread_running {
            thread::start(&self.0, state);
        } else if let Some(waker) = &state.waker {
            waker.wake_by_ref();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut state = self.bus.lock();
        // The rule stays registered: the same services subscribe to it again and again.
        if let Some(interest) = state.rules.get_mut(&self.rule) {
            interest.handlers.retain(|(id, _)| *id != self.id);
        }
    }
}
