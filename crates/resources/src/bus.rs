//! The message bus: method calls with a time limit, and signals (spec 05 §5.6, §7.2).
//!
//! The process has one connection to each bus ([`Bus`]). A thread of its own ([`thread`]) connects on the first request
//! and reconnects after the bus was restarted. Every wait has a limit and ends early when the check is cancelled.
//! Calls name their method instead of using proxies that zbus generates: each call needs the limit, the cancellation, and one
//! retry on the new connection after a restart of the bus, which [`Bus`] gives all of them.
//!
//! A signal only means "check again". Subscribers are notified when a signal arrives, when the connection is lost, and
//! when it is restored, so a restart of the bus never loses an event.

mod connection;
mod error;
mod object;
mod state;
mod thread;
mod wait;

pub(crate) use connection::Bus;
pub(crate) use error::BusError;
pub(crate) use object::{DBUS, Object};
pub(crate) use state::MatchRule;

#[cfg(test)]
mod tests;
