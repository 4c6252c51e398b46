//! The failure of a check.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mcl_diagnostics::Code;

/// Why a check failed. `Display` names the object and the cause.
#[derive(Debug)]
pub enum Failure {
    /// A parameter has a value that the kind does not accept.
    Invalid(String),
    /// A system call failed.
    Io {
        /// The attempted action, such as `write` or `remove`.
        action: &'static str,
        /// The object of the action.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The change is unsafe or impossible in the current state; the message says what would allow it.
    Refused(String),
    /// The change is not in the plan that is applied.
    Unplanned(String),
    /// A command failed.
    Command(String),
    /// Another process changed the same object at the same time.
    Disturbed(String),
    /// A service or a tool that the kind needs is not available.
    Unavailable(String),
    /// The sender of a parameter has not sent a value.
    NothingSent(String),
    /// The check was cancelled.
    Cancelled,
    /// The check did not finish within this many seconds.
    Timeout(f64),
    /// The implementation panicked, which is a defect of this program.
    Panic(String),
}

impl Failure {
    /// Makes the failure of a system call on a path.
    pub fn io(action: &'static str, path: impl Into<PathBuf>, error: impl Into<io::Error>) -> Failure {
        Failure::Io { action, path: path.into(), error: error.into() }
    }

    /// Returns a function that makes the failure of a system call on a path, for `map_err`.
    pub fn on<E: Into<io::Error>>(action: &'static str, path: &Path) -> impl FnOnce(E) -> Failure {
        let path = path.to_path_buf();
        move |error| Failure::Io { action, path, error: error.into() }
    }

    /// Returns the message of a failure that has one, so that sensitive values in it can be masked.
    pub fn message_mut(&mut self) -> Option<&mut String> {
        match self {
            Failure::Invalid(text)
            | Failure::Refused(text)
            | Failure::Unplanned(text)
            | Failure::Command(text)
            | Failure::Disturbed(text)
            | Failure::Unavailable(text)
            | Failure::NothingSent(text)
            | Failure::Panic(text) => Some(text),
            Failure::Io { .. } | Failure::Cancelled | Failure::Timeout(_) => None,
        }
    }

    /// Returns the diagnostic code of this class of failures.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Failure::Invalid(_) => Code::R0401,
            Failure::Io { .. } => Code::R0402,
            Failure::Refused(_) => Code::R0403,
            Failure::Unplanned(_) => Code::R0415,
            Failure::Command(_) | Failure::Disturbed(_) => Code::R0404,
            Failure::Unavailable(_) => Code::R0405,
            Failure::NothingSent(_) => Code::R0406,
            Failure::Cancelled | Failure::Timeout(_) => Code::R0407,
            Failure::Panic(_) => Code::R0408,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Invalid(text)
            | Failure::Refused(text)
            | Failure::Unplanned(text)
            | Failure::Command(text)
            | Failure::Disturbed(text)
            | Failure::Unavailable(text)
            | Failure::NothingSent(text) => f.write_str(text),
            Failure::Io { action, path, error } => {
                write!(f, "cannot {action} {}: {}", path.display(), describe(error))
            }
            Failure::Cancelled => f.write_str("cancelled"),
            Failure::Timeout(seconds) => write!(f, "timeout after {seconds:.3} seconds"),
            Failure::Panic(text) => write!(f, "panic in CheckApply: {text}"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Failure::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Returns the system's message without the error number, starting in lower case unless its first word is an abbreviation.
fn describe(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" (os error ").map_or(text.as_str(), |(words, _)| words);
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_failure_names_action_path_and_cause() {
        const ENOSPC: i32 = 28;
        let failure = Failure::io("write", "/srv/x", io::Error::from_raw_os_error(ENOSPC));
        assert_eq!(failure.to_string(), "cannot write /srv/x: no space left on device");
    }
}
