//! Why a file was not replaced.

use std::io;
use std::path::Path;

use crate::error::Error;

/// Why a name was not given to another object.
#[derive(Debug)]
pub(crate) enum ReplaceError {
    /// It cannot be renamed.
    Rename(io::Error),
    /// What has the name cannot be backed up or replaced, and has its name.
    Refused(Error),
    /// What had the name cannot be backed up, and cannot get its name back. It has another one.
    Lost(Error),
}

impl ReplaceError {
    pub(crate) fn at(self, path: &Path) -> Error {
        match self {
            ReplaceError::Rename(error) => Error::io("replace", path, error),
            ReplaceError::Refused(error) | ReplaceError::Lost(error) => error,
        }
    }
}

impl From<Error> for ReplaceError {
    fn from(error: Error) -> ReplaceError {
        ReplaceError::Refused(error)
    }
}
