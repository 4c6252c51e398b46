//! Files of data.

use indexmap::IndexMap;
use pp_types::{Hash, KeyState, Value};

use crate::yaml::Note;

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
    pub notes: IndexMap<Value, Note, KeyState>,
}
