//! Errors of calls over the bus.

use std::{fmt, io};

use zbus::DBusError;

use crate::Failure;

/// Why a call over the bus failed.
#[derive(Debug)]
pub(crate) enum BusError {
    /// There is no connection to the bus, for this reason.
    Unreachable(String),
    /// The service replied with an error.
    MethodError {
        /// The name of the error, such as `org.freedesktop.DBus.Error.AccessDenied`.
        name: String,
        /// The message of the service; may be empty.
        message: String,
    },
    /// This call got no reply in time.
    TimedOut(String),
    /// The reply does not have the type that the interface specifies.
    InvalidReply(String),
    /// The check was cancelled.
    Cancelled,
}

impl BusError {
    /// Converts an error of the bus library that occurred during `call`.
    pub(super) fn new(error: &zbus::Error, call: &str) -> BusError {
        let method_error = |name: &str, message: Option<&str>| BusError::MethodError {
            name: name.to_owned(),
            message: message.unwrap_or_default().trim().to_owned(),
        };
        match error {
            zbus::Error::MethodError(name, message, _) => method_error(name.as_str(), message.as_deref()),
            zbus::Error::FDO(error) => match &**error {
                zbus::fdo::Error::ZBus(error) => BusError::new(error, call),
                error => method_error(error.name().as_str(), error.description()),
            },
            zbus::Error::InputOutput(error) => {
                BusError::Unreachable(format!("the connection to the bus was lost: {}", message_without_code(error)))
            }
            error => BusError::InvalidReply(format!("{call}: {error}")),
        }
    }

    /// Returns whether the service cannot be reached, with or without the bus.
    pub(crate) fn is_unavailable(&self) -> bool {
        matches!(self, BusError::Unreachable(_)) || self.is_disconnect()
    }

    /// Returns whether the bus reported that the service disconnected during the call.
    pub(crate) fn is_disconnect(&self) -> bool {
        matches!(self, BusError::MethodError { name, .. }
            if name == "org.freedesktop.DBus.Error.NoReply" || name == "org.freedesktop.DBus.Error.Disconnected")
    }

    /// Returns whether the service replied with the error of this name.
    #[cfg(test)]
    pub(super) fn is_named(&self, expected: &str) -> bool {
        matches!(self, BusError::MethodError { name, .. } if name == expected)
    }
}

/// Returns the message of a system error in lower case, without its number.
pub(super) fn message_without_code(error: &io::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" (os error ").map_or(text.as_str(), |(message, _)| message).to_lowercase()
}

impl fmt::Display for BusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BusError::Unreachable(reason) => f.write_str(reason),
            BusError::MethodError { name, message } if message.is_empty() => f.write_str(name),
            BusError::MethodError { .. } if self.is_disconnect() => {
                f.write_str("the service disconnected from the bus")
            }
            BusError::MethodError { message, .. } => f.write_str(message.trim_end_matches('.')),
            BusError::TimedOut(call) => write!(f, "{call} timed out"),
            BusError::InvalidReply(reason) => write!(f, "invalid reply to {reason}"),
            BusError::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl From<BusError> for Failure {
    fn from(error: BusError) -> Failure {
        match error {
            BusError::Unreachable(_) => Failure::Unavailable(error.to_string()),
            BusError::MethodError { .. } | BusError::TimedOut(_) | BusError::InvalidReply(_) => {
                Failure::Command(error.to_string())
            }
            BusError::Cancelled => Failure::Cancelled,
        }
    }
}
