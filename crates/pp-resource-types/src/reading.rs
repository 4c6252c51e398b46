//! What reading the source of a type gives.

use serde::{Deserialize, Serialize};

use crate::read_type::ReadType;

/// What reading the source of a type gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reading {
    /// The type.
    Type(Box<ReadType>),
    /// Only that there is a type: its source cannot be read.
    Name,
    /// The file declares no type of this name.
    Nothing,
    /// Puppet cannot load the file either; why not.
    Broken(String),
}
