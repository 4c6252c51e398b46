//! Failures of file access.

use safe_fs::{EditError, Error};

use crate::Failure;

/// Returns the failure of a resource for an error of file access.
pub(crate) fn failure(error: Error) -> Failure {
    match error {
        Error::Io { action, path, error } => Failure::Io { action, path, error },
        Error::Disturbed { .. } | Error::Displaced { .. } => Failure::Disturbed(error.to_string()),
        Error::UntrustedLink { .. }
        | Error::ForeignTarget { .. }
        | Error::ForeignHardLink { .. }
        | Error::WrongKind { .. }
        | Error::TooLargeForBackup { .. }
        | Error::InvalidBackup { .. }
        | Error::Unprotected { .. } => Failure::Refused(error.to_string()),
    }
}

/// Returns the failure of a resource for an error of an edit.
pub(crate) fn edit_failure(error: EditError<Failure>) -> Failure {
    match error {
        EditError::File(error) => failure(error),
        EditError::Decision(failure) => failure,
    }
}
