//! The thread that connects to a bus and processes its messages.

use std::future::poll_fn;
use std::io;
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

use crate::bus::error::message_without_code;
use crate::bus::state::{Endpoint, MatchRule, Progress, Shared, State};
use crate::bus::{BusError, DBUS};

/// Maximum time to connect to one address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Delay before reconnecting on behalf of subscribers; doubled after each failed attempt.
const BACKOFF_INITIAL: Duration = Duration::from_millis(250);
/// Upper bound of the reconnection delay.
const BACKOFF_MAX: Duration = Duration::from_secs(8);
/// Stack size of the thread, in bytes.
const STACK_SIZE: usize = 512 * 1024;

/// Starts the thread, which runs until the process exits.
pub(super) fn start(shared: &Arc<Shared>, state: &mut State) {
    let shared = Arc::clone(shared);
    let builder = std::thread::Builder::new().name("bus".to_owned()).stack_size(STACK_SIZE);
    let main = move || {
        zbus::block_on(async {
            // The runtime fails only without file descriptors, and then no connection is possible either.
            match SharedRuntime::current() {
                Ok(runtime) => run(&shared, &runtime).await,
                Err(error) => record_start_failure(&mut shared.lock(), &error),
            }
        });
        shared.changed.notify_all();
    };
    state.thread_running = true;
    if let Err(error) = builder.spawn(main) {
        record_start_failure(state, &error);
    }
}

/// Records that the thread could not start; the next request starts another one.
fn record_start_failure(state: &mut State, error: &io::Error) {
    state.thread_running = false;
    state.failure = format!("cannot start a bus connection: {}", message_without_code(error));
    state.attempts += 1;
}

/// Connects, processes messages until the connection is lost, and starts over.
async fn run(shared: &Shared, runtime: &SharedRuntime) {
    let mut backoff = BACKOFF_INITIAL;
    loop {
        let result = connect(&shared.endpoint, runtime).await;
        let connected = {
            let mut state = shared.lock();
            state.attempts += 1;
            match result {
                Ok(connection) => state.connection = Some(connection),
                Err(error) => state.failure = error.to_string(),
            }
            state.connection.clone()
        };
        shared.changed.notify_all();
        match connected {
            Some(connection) => {
                backoff = BACKOFF_INITIAL;
                process_messages(shared, &connection).await;
                let mut state = shared.lock();
                state.connection = None;
                state.failure = format!("the connection to {} was lost", shared.endpoint);
                for interest in state.rules.values_mut() {
                    interest.progress = Progress::Unregistered;
                    interest.notify(None);
                }
            }
            None => backoff = (backoff * 2).min(BACKOFF_MAX),
        }
        wait_for_retry(shared, runtime, backoff).await;
    }
}

/// Waits until the next attempt is due: at once if a caller requests it, after `backoff` if there are subscribers.
async fn wait_for_retry(shared: &Shared, runtime: &SharedRuntime, backoff: Duration) {
    let mut due = pin!(runtime.sleep(backoff));
    poll_fn(|context| {
        let mut state = shared.lock();
        state.waker = Some(context.waker().clone());
        let has_subscribers = state.rules.values().any(|interest| !interest.handlers.is_empty());
        if state.requested_attempt > state.attempts || (has_subscribers && due.as_mut().poll(context).is_ready()) {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

/// Registers rules and dispatches signals until the connection is lost.
async fn process_messages(shared: &Shared, connection: &Connection) {
    let mut stream = MessageStream::from(connection);
    let mut registrations: Vec<(MatchRule, Registration)> = Vec::new();
    poll_fn(|context| {
        shared.lock().waker = Some(context.waker().clone());
        for (rule, interest) in &mut shared.lock().rules {
            if interest.progress == Progress::Unregistered {
                interest.progress = Progress::Requested;
                registrations.push((*rule, register(connection.clone(), *rule)));
            }
        }
        poll_registrations(shared, &mut registrations, context);
        loop {
            match Pin::new(&mut stream).poll_next(context) {
                Poll::Ready(Some(Ok(message))) => dispatch(shared, &message),
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    })
    .await;
}

/// Marks the rules whose registration has completed as active.
fn poll_registrations(shared: &Shared, registrations: &mut Vec<(MatchRule, Registration)>, context: &mut Context<'_>) {
    registrations.retain_mut(|(rule, registration)| {
        if registration.as_mut().poll(context).is_pending() {
            return true;
        }
        if let Some(interest) = shared.lock().rules.get_mut(rule) {
            interest.progress = Progress::Active;
            // Signals sent before the registration took effect are lost.
            interest.notify(None);
        }
        shared.changed.notify_all();
        false
    });
}

type Registration = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Adds a match rule to the bus and asks the service to send signals.
///
/// A refusal is ignored: those signals do not arrive, everything else works.
fn register(connection: Connection, rule: MatchRule) -> Registration {
    Box::pin(async move {
        let MatchRule { service, interface, path_namespace, subscribe_method } = rule;
        let text =
            format!("type='signal',sender='{service}',interface='{interface}',path_namespace='{path_namespace}'");
        let _ = connection
            .call_method(Some(DBUS.service), DBUS.path, Some(DBUS.interface), "AddMatch", &(text.as_str(),))
            .await;
        if let Some((path, interface, method)) = subscribe_method {
            let _ = connection.call_method(Some(service), path, Some(interface), method, &()).await;
        }
    })
}

/// Passes a signal to the subscribers of all rules that match it.
fn dispatch(shared: &Shared, message: &Message) {
    if message.message_type() != Type::Signal {
        return;
    }
    let header = message.header();
    let (Some(interface), Some(path)) = (header.interface(), header.path()) else { return };
    for (rule, interest) in &shared.lock().rules {
        let is_in_namespace = path
            .as_str()
            .strip_prefix(rule.path_namespace)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rule.path_namespace.ends_with('/'));
        if interface.as_str() == rule.interface && is_in_namespace {
            interest.notify(Some(message));
        }
    }
}

async fn connect(endpoint: &Endpoint, runtime: &SharedRuntime) -> Result<Connection, BusError> {
    let mut failure = format!("no address for {endpoint}");
    for address in endpoint.addresses() {
        let failed = |why: &str| format!("cannot reach {endpoint} at {address}: {why}");
        let parsed = match Address::from_str(&address) {
            Ok(parsed) => parsed,
            Err(error) => {
                failure = failed(&error.to_string());
                continue;
            }
        };
        let builder = Builder::address(parsed);
        match runtime.timeout(CONNECT_TIMEOUT, builder.build()).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(zbus::Error::Connection(error, _) | zbus::Error::InputOutput(error))) => {
                failure = failed(&message_without_code(&error));
            }
            Ok(Err(error)) => failure = failed(&BusError::new(&error, "the handshake").to_string()),
            Err(_) => failure = failed("connection timed out"),
        }
    }
    Err(BusError::Unreachable(failure))
}
