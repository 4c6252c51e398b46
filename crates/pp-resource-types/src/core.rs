//! The types of Puppet itself.

mod account;
mod file;
mod package;
mod process;
mod structure;

use crate::resource_type::ResourceType;

/// The types, sorted by name.
pub(crate) static TYPES: &[&ResourceType] = &[
    &structure::COMPONENT,
    &process::EXEC,
    &file::FILE,
    &file::FILEBUCKET,
    &account::GROUP,
    &structure::NOTIFY,
    &package::PACKAGE,
    &structure::RESOURCES,
    &structure::SCHEDULE,
    &process::SERVICE,
    &structure::STAGE,
    &file::TIDY,
    &account::USER,
    &structure::WHIT,
];
