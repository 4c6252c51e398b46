//! A bus as its users see it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::{Connection, DynamicType, Message, OwnedVariant, Type};

use crate::Cancel;
use crate::bus::wait::{LOOK, Unfinished, wait};
use crate::bus::{ANSWER, BusError, DBUS, Object, keeper};

/// How long it may take until a lost connection is noticed.
const LOSS: Duration = Duration::from_secs(1);

/// How long a service that could not be started is not tried again: the bus may take its time to give up.
const BROKEN: Duration = Duration::from_secs(60);

/// A message bus. Cheap to clone; all clones share one connection.
#[derive(Clone)]
pub(crate) struct Bus(pub(super) Arc<Shared>);

/// Where a bus is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    System,
    Session,
    #[cfg(test)]
    Address(String),
}

/// Which signals are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    pub(crate) service: &'static str,
    pub(crate) interface: &'static str,
    /// Only objects at or below this path.
    pub(crate) below: &'static str,
    /// A method of the service that has to be called before it sends signals: path, interface, name.
    pub(crate) opening: Option<(&'static str, &'static str, &'static str)>,
}

/// Hears signals: `None` says that any may have been missed. Called with the bus locked, so it must not use it.
pub(super) type Hear = Box<dyn Fn(Option<&Message>) + Send + Sync>;

pub(super) struct Shared {
    pub(super) place: Place,
    state: Mutex<State>,
    pub(super) changed: Condvar,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) connection: Option<Connection>,
    /// Why the last attempt failed.
    pub(super) failure: String,
    /// How many attempts to connect have ended.
    pub(super) attempts: u64,
    /// The attempt that somebody waits for.
    pub(super) wanted: u64,
    pub(super) has_keeper: bool,
    /// Makes the keeper look at what is wanted.
    pub(super) keeper: Option<Waker>,
    pub(super) rules: FxHashMap<Rule, Interest>,
    serial: u64,
    /// Services that could not be started, and when that was tried.
    broken: FxHashMap<&'static str, Instant>,
}

/// Who wants the signals of one rule.
#[derive(Default)]
pub(super) struct Interest {
    pub(super) listeners: Vec<(u64, Hear)>,
    pub(super) progress: Progress,
}

/// How far the bus was asked for the signals of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Progress {
    #[default]
    ToAsk,
    Asked,
    InPlace,
}

/// Dropping it ends the listening.
pub(crate) struct Listening {
    bus: Bus,
    rule: Rule,
    serial: u64,
}

impl Bus {
    fn at(place: Place) -> Bus {
        Bus(Arc::new(Shared { place, state: Mutex::default(), changed: Condvar::new() }))
    }

    /// The bus of the machine.
    pub(crate) fn system() -> Bus {
        static BUS: OnceLock<Bus> = OnceLock::new();
        BUS.get_or_init(|| Bus::at(Place::System)).clone()
    }

    /// The bus of the user.
    pub(crate) fn session() -> Bus {
        static BUS: OnceLock<Bus> = OnceLock::new();
        BUS.get_or_init(|| Bus::at(Place::Session)).clone()
    }

    #[cfg(test)]
    pub(super) fn at_address(address: &str) -> Bus {
        Bus::at(Place::Address(address.to_owned()))
    }

    /// Calls a method and waits for its answer.
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
        self.call_within(ANSWER, object, method, body, cancel)
    }

    /// The same with a limit of its own.
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
        let mut is_second = false;
        loop {
            let connection = self.connection(cancel)?;
            let call = connection.call_method(Some(object.service), object.path, Some(object.interface), method, body);
            match wait(call, limit, cancel) {
                // The bus was restarted meanwhile. Everything we ask for may be asked for twice.
                Ok(Err(zbus::Error::InputOutput(_))) if !is_second => {
                    is_second = true;
                    self.await_loss(&connection);
                }
                Ok(answer) => return answer.map_err(|error| BusError::new(&error, &what)),
                Err(Unfinished::TimedOut) => return Err(BusError::Silent(what)),
                Err(Unfinished::Cancelled) => return Err(BusError::Cancelled),
            }
        }
    }

    /// Waits until the keeper has noticed the loss of this connection.
    fn await_loss(&self, lost: &Connection) {
        let end = Instant::now() + LOSS;
        let mut state = self.lock();
        let is_it = |current: &Connection| current.unique_name() == lost.unique_name();
        while state.connection.as_ref().is_some_and(is_it) && Instant::now() < end {
            state = self.0.wait(state, LOOK);
        }
    }

    /// The same for an answer of a known type.
    pub(crate) fn ask<B, R>(&self, object: Object<'_>, method: &str, body: &B, cancel: &Cancel) -> Result<R, BusError>
    where
        B: Serialize + DynamicType,
        R: DeserializeOwned + Type,
    {
        let answer = self.call(object, method, body, cancel)?;
        answer.body().deserialize().map_err(|error| BusError::Unexpected(format!("{method}: {error}")))
    }

    /// The text of a property.
    pub(crate) fn text(&self, object: Object<'_>, property: &str, cancel: &Cancel) -> Result<String, BusError> {
        let properties = Object { interface: "org.freedesktop.DBus.Properties", ..object };
        let value: OwnedVariant = self.ask(properties, "Get", &(object.interface, property), cancel)?;
        String::try_from(value).map_err(|_| BusError::Unexpected(format!("{property}: it is no text")))
    }

    /// Whether a service runs, or could be started.
    pub(crate) fn has(&self, service: &'static str, cancel: &Cancel) -> Result<bool, BusError> {
        let is_owned: bool = self.ask(DBUS, "NameHasOwner", &(service,), cancel)?;
        if is_owned {
            return Ok(true);
        }
        let activatable: Vec<String> = self.ask(DBUS, "ListActivatableNames", &(), cancel)?;
        if !activatable.iter().any(|name| name == service) {
            return Ok(false);
        }
        let failed = self.lock().broken.get(service).copied();
        if failed.is_some_and(|at| at.elapsed() < BROKEN) {
            return Ok(false);
        }
        match self.call(DBUS, "StartServiceByName", &(service, 0_u32), cancel) {
            Ok(_) => Ok(true),
            // Its file is there, but it cannot run here: a container with half of a system.
            Err(BusError::Refused { .. } | BusError::Silent(_)) => {
                self.lock().broken.insert(service, Instant::now());
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Hears the signals of the rule until the result is dropped.
    pub(crate) fn listen(&self, rule: Rule, hear: impl Fn(Option<&Message>) + Send + Sync + 'static) -> Listening {
        let mut state = self.lock();
        state.serial += 1;
        let serial = state.serial;
        let interest = state.rules.entry(rule).or_default();
        if interest.progress == Progress::InPlace {
            // What happened before it listened.
            hear(None);
        }
        interest.listeners.push((serial, Box::new(hear)));
        self.rouse(&mut state);
        Listening { bus: self.clone(), rule, serial }
    }

    /// Waits until the bus sends the signals of a listener.
    pub(crate) fn await_listening(&self, listening: &Listening, cancel: &Cancel) -> Result<(), BusError> {
        let _connection = self.connection(cancel)?;
        let end = Instant::now() + ANSWER;
        let mut state = self.lock();
        loop {
            if state.rules.get(&listening.rule).is_some_and(|interest| interest.progress == Progress::InPlace) {
                return Ok(());
            }
            if state.connection.is_none() {
                return Err(BusError::Unreachable(state.failure.clone()));
            }
            if cancel.is_cancelled() {
                return Err(BusError::Cancelled);
            }
            if Instant::now() >= end {
                return Err(BusError::Silent(format!("the wish for signals of {}", listening.rule.service)));
            }
            state = self.0.wait(state, LOOK);
        }
    }

    /// The connection, made if there is none.
    fn connection(&self, cancel: &Cancel) -> Result<Connection, BusError> {
        let mut state = self.lock();
        let wanted = state.attempts + 1;
        loop {
            if let Some(connection) = state.connection.as_ref().filter(|connection| !connection.is_closed()) {
                return Ok(connection.clone());
            }
            if state.attempts >= wanted {
                return Err(BusError::Unreachable(state.failure.clone()));
            }
            if cancel.is_cancelled() {
                return Err(BusError::Cancelled);
            }
            if state.wanted < wanted {
                state.wanted = wanted;
                self.rouse(&mut state);
            }
            state = self.0.wait(state, LOOK);
        }
    }

    /// Makes the keeper look at what is wanted.
    fn rouse(&self, state: &mut State) {
        if !state.has_keeper {
            keeper::start(self, state);
        } else if let Some(keeper) = &state.keeper {
            keeper.wake_by_ref();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl Shared {
    /// A thread that died while it held the lock left a state that is still whole.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, limit).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut state = self.bus.lock();
        // The bus goes on sending the signals: services come back to a rule, and nobody hears them meanwhile.
        if let Some(interest) = state.rules.get_mut(&self.rule) {
            interest.listeners.retain(|(serial, _)| *serial != self.serial);
        }
    }
}
