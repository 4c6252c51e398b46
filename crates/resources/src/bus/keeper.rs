//! The thread that keeps one connection, and drives it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::str::FromStr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use zbus::connection::Builder;
use zbus::message::Type;
use zbus::{Address, Connection, Message, MessageStream};
use zruntime::SharedRuntime;

use crate::bus::error::words;
use crate::bus::link::{Bus, Place, Progress, Rule, Shared, State};
use crate::bus::{BusError, DBUS};

/// How long connecting may take.
const GREETING: Duration = Duration::from_secs(10);
/// How long after a failed attempt the next one is made for those who listen; twice as long after each further one.
const AGAIN: Duration = Duration::from_millis(250);
/// And never longer than this.
const AGAIN_AT_MOST: Duration = Duration::from_secs(8);

/// Starts the thread; it lives as long as the process.
pub(super) fn start(bus: &Bus, state: &mut State) {
    let shared = Arc::clone(&bus.0);
    let thread = std::thread::Builder::new().name("bus".to_owned()).stack_size(512 * 1024);
    let keeper = move || {
        zbus::block_on(async {
            // What can fail is a file descriptor for the clock; then nobody can connect either.
            match SharedRuntime::current() {
                Ok(runtime) => keep(&shared, &runtime).await,
                Err(error) => give_up(&mut shared.lock(), &error),
            }
        });
        shared.changed.notify_all();
    };
    state.has_keeper = true;
    if let Err(error) = thread.spawn(keeper) {
        give_up(state, &error);
    }
}

/// The next one who wants something starts another thread.
fn give_up(state: &mut State, error: &std::io::Error) {
    state.has_keeper = false;
    state.failure = format!("cannot keep a connection to a bus: {}", words(error));
    state.attempts += 1;
}

async fn keep(shared: &Shared, runtime: &SharedRuntime) {
    let mut pause = AGAIN;
    loop {
        let result = connect(&shared.place, runtime).await;
        let connected = {
            let mut state = shared.lock();
            state.attempts += 1;
            match result {
                Ok(connection) => state.connection = Some(connection),
                Err(failure) => state.failure = failure,
            }
            state.connection.clone()
        };
        shared.changed.notify_all();
        match connected {
            Some(connection) => {
                pause = AGAIN;
                serve(shared, &connection).await;
                let mut state = shared.lock();
                state.connection = None;
                state.failure = format!("the connection to {} was lost", shared.place);
                for interest in state.rules.values_mut() {
                    interest.progress = Progress::ToAsk;
                    interest.listeners.iter().for_each(|(_, hear)| hear(None));
                }
            }
            None => pause = (pause * 2).min(AGAIN_AT_MOST),
        }
        rest(shared, runtime, pause).await;
    }
}

/// Until the next attempt is due: at once when somebody asks, after a while when somebody listens.
async fn rest(shared: &Shared, runtime: &SharedRuntime, pause: Duration) {
    let mut due = pin!(runtime.sleep(pause));
    poll_fn(|context| {
        let mut state = shared.lock();
        state.keeper = Some(context.waker().clone());
        let has_listeners = state.rules.values().any(|interest| !interest.listeners.is_empty());
        if state.wanted > state.attempts || (has_listeners && due.as_mut().poll(context).is_ready()) {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

/// Hands signals out until the connection ends.
async fn serve(shared: &Shared, connection: &Connection) {
    let mut stream = MessageStream::from(connection);
    let mut asking: Vec<(Rule, Asking)> = Vec::new();
    poll_fn(|context| {
        shared.lock().keeper = Some(context.waker().clone());
        for (rule, interest) in &mut shared.lock().rules {
            if interest.progress == Progress::ToAsk {
                interest.progress = Progress::Asked;
                asking.push((*rule, ask(connection.clone(), *rule)));
            }
        }
        advance(shared, &mut asking, context);
        loop {
            match Pin::new(&mut stream).poll_next(context) {
                Poll::Ready(Some(Ok(message))) => hand_out(shared, &message),
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    })
    .await;
}

/// Notes which rules are in place now.
fn advance(shared: &Shared, asking: &mut Vec<(Rule, Asking)>, context: &mut Context<'_>) {
    asking.retain_mut(|(rule, asking)| {
        if asking.as_mut().poll(context).is_pending() {
            return true;
        }
        if let Some(interest) = shared.lock().rules.get_mut(rule) {
            interest.progress = Progress::InPlace;
            // What happened before the bus knew that we want to hear of it.
            interest.listeners.iter().for_each(|(_, hear)| hear(None));
        }
        shared.changed.notify_all();
        false
    });
}

type Asking = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Asks the bus for the signals of a rule, and the service to send them. A refusal changes nothing: then the signals do
/// not come, and all else works.
fn ask(connection: Connection, rule: Rule) -> Asking {
    Box::pin(async move {
        let Rule { service, interface, below, opening } = rule;
        let text = format!("type='signal',sender='{service}',interface='{interface}',path_namespace='{below}'");
        let _ = connection
            .call_method(Some(DBUS.service), DBUS.path, Some(DBUS.interface), "AddMatch", &(text.as_str(),))
            .await;
        if let Some((path, interface, method)) = opening {
            let _ = connection.call_method(Some(service), path, Some(interface), method, &()).await;
        }
    })
}

fn hand_out(shared: &Shared, message: &Message) {
    if message.message_type() != Type::Signal {
        return;
    }
    let header = message.header();
    let (Some(interface), Some(path)) = (header.interface(), header.path()) else { return };
    for (rule, interest) in &shared.lock().rules {
        let is_below = path
            .as_str()
            .strip_prefix(rule.below)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rule.below.ends_with('/'));
        if interface.as_str() == rule.interface && is_below {
            interest.listeners.iter().for_each(|(_, hear)| hear(Some(message)));
        }
    }
}

async fn connect(place: &Place, runtime: &SharedRuntime) -> Result<Connection, String> {
    let mut failure = format!("there is no address of {place}");
    for address in place.addresses() {
        let failed = |why: &str| format!("cannot reach {place} at {address}: {why}");
        let parsed = match Address::from_str(&address) {
            Ok(parsed) => parsed,
            Err(error) => {
                failure = failed(&error.to_string());
                continue;
            }
        };
        let builder = Builder::address(parsed);
        match runtime.timeout(GREETING, builder.build()).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(zbus::Error::Connection(error, _) | zbus::Error::InputOutput(error))) => {
                failure = failed(&words(&error));
            }
            Ok(Err(error)) => failure = failed(&BusError::new(&error, "the greeting").to_string()),
            Err(_) => failure = failed("it does not answer"),
        }
    }
    Err(failure)
}

impl Place {
    fn addresses(&self) -> Vec<String> {
        let given = |variable: &str| std::env::var(variable).ok().filter(|text| !text.is_empty());
        let text = match self {
            Place::System => {
                given("DBUS_SYSTEM_BUS_ADDRESS").unwrap_or_else(|| "unix:path=/run/dbus/system_bus_socket".to_owned())
            }
            Place::Session => given("DBUS_SESSION_BUS_ADDRESS").unwrap_or_else(|| {
                let own = || format!("/run/user/{}", rustix::process::geteuid().as_raw());
                format!("unix:path={}/bus", given("XDG_RUNTIME_DIR").unwrap_or_else(own))
            }),
            #[cfg(test)]
            Place::Address(address) => address.clone(),
        };
        text.split(';').filter(|address| !address.is_empty()).map(str::to_owned).collect()
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Place::System => "the system bus",
            Place::Session => "the session bus",
            #[cfg(test)]
            Place::Address(_) => "the bus",
        })
    }
}
