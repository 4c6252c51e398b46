//! The message bus: method calls with a time limit, and signals (spec 05 §5.6, §7.2).
//!
//! There is one connection to each bus for the whole process ([`Bus`]), kept by a thread of its own ([`keeper`]) that
//! connects when somebody wants something and again after the bus was restarted. Nothing here waits without a limit, and
//! every wait ends when the check is cancelled.
//!
//! Signals only ever mean "look again": listeners hear one when it comes, when the connection is lost, and when it is
//! there again. So nothing is missed, whatever happens to the bus.

mod error;
mod keeper;
mod link;
mod wait;

use std::time::Duration;

pub(crate) use error::BusError;
pub(crate) use link::{Bus, Rule};

/// How long a service may take to answer a question.
pub(crate) const ANSWER: Duration = Duration::from_secs(25);

/// The bus itself, as a service.
pub(crate) const DBUS: Object<'static> =
    Object { service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };

/// An interface of an object of a service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object<'a> {
    pub(crate) service: &'static str,
    pub(crate) path: &'a str,
    pub(crate) interface: &'static str,
}

#[cfg(test)]
mod tests;
