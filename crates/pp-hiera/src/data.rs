//! Files of data.

use std::cell::RefCell;
use std::sync::Arc;

use pp_types::Hash;

use crate::yaml::Notes;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    Yaml,
    Json,
    Hocon,
}

impl Format {
    /// Returns the function that reads the format.
    pub(crate) fn function(self) -> &'static str {
        match self {
            Format::Yaml => "yaml_data",
            Format::Json => "json_data",
            Format::Hocon => "hocon_data",
        }
    }
}

/// A parsed file.
#[derive(Debug, Default)]
pub(crate) struct DataFile {
    /// Its values.
    pub entries: Hash,
    /// Notes on the values.
    pub notes: Notes,
    /// The module for which the names of the values were checked.
    pub checked_for: RefCell<Option<Arc<str>>>,
}
