//! Why a call over the bus failed.

use std::fmt;

use zbus::DBusError;

use crate::Failure;

/// The failure of one call.
#[derive(Debug)]
pub(crate) enum BusError {
    /// There is no connection to the bus; the text says why.
    Unreachable(String),
    /// The service answered with an error.
    Refused {
        /// `org.freedesktop.DBus.Error.AccessDenied`
        name: String,
        /// The service's own words, which may be none.
        text: String,
    },
    /// No answer came in time; what was asked.
    Silent(String),
    /// The answer is not what the interface promises.
    Unexpected(String),
    /// The check was cancelled.
    Cancelled,
}

impl BusError {
    /// From an error of the bus library, in answer to `what`.
    pub(super) fn new(error: &zbus::Error, what: &str) -> BusError {
        let refused = |name: &str, text: Option<&str>| BusError::Refused {
            name: name.to_owned(),
            text: text.unwrap_or_default().trim().to_owned(),
        };
        match error {
            zbus::Error::MethodError(name, text, _) => refused(name.as_str(), text.as_deref()),
            zbus::Error::FDO(error) => match &**error {
                zbus::fdo::Error::ZBus(error) => BusError::new(error, what),
                error => refused(error.name().as_str(), error.description()),
            },
            zbus::Error::InputOutput(error) => {
                BusError::Unreachable(format!("the connection to the bus was lost: {}", words(error)))
            }
            error => BusError::Unexpected(format!("{what}: {error}")),
        }
    }

    /// Whether the service is out of reach: with the bus, or alone.
    pub(crate) fn is_away(&self) -> bool {
        matches!(self, BusError::Unreachable(_)) || self.is_of_transport()
    }

    /// Whether it was the bus that said that the service went away while we waited for its answer.
    pub(crate) fn is_of_transport(&self) -> bool {
        matches!(self, BusError::Refused { name, .. }
            if name == "org.freedesktop.DBus.Error.NoReply" || name == "org.freedesktop.DBus.Error.Disconnected")
    }

    /// Whether the service answered with that error.
    #[cfg(test)]
    pub(super) fn is_named(&self, wanted: &str) -> bool {
        matches!(self, BusError::Refused { name, .. } if name == wanted)
    }
}

/// A system error without its number.
pub(super) fn words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" (os error ").map_or(text.as_str(), |(words, _)| words).to_lowercase()
}

impl fmt::Display for BusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BusError::Unreachable(text) => f.write_str(text),
            BusError::Refused { name, text } if text.is_empty() => f.write_str(name),
            BusError::Refused { .. } if self.is_of_transport() => f.write_str("the service disconnected from the bus"),
            BusError::Refused { text, .. } => f.write_str(text.trim_end_matches('.')),
            BusError::Silent(what) => write!(f, "no answer to {what} came in time"),
            BusError::Unexpected(text) => write!(f, "unexpected answer to {text}"),
            BusError::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl From<BusError> for Failure {
    fn from(error: BusError) -> Failure {
        match error {
            BusError::Unreachable(_) => Failure::Unavailable(error.to_string()),
            BusError::Refused { .. } | BusError::Silent(_) | BusError::Unexpected(_) => {
                Failure::Command(error.to_string())
            }
            BusError::Cancelled => Failure::Cancelled,
        }
    }
}
