//! The types of modules that once were part of Puppet, and of stdlib and concat.

mod account;
mod file;
mod system;
mod zone;

use crate::resource_type::ResourceType;

/// The types, sorted by name.
pub(crate) static TYPES: &[&ResourceType] = &[
    &system::ANCHOR,
    &file::AUGEAS,
    &file::CONCAT_FILE,
    &file::CONCAT_FRAGMENT,
    &system::CRON,
    &system::EC2_INSTANCE,
    &file::FILE_LINE,
    &system::HOST,
    &account::K5LOGIN,
    &account::MAILALIAS,
    &system::MOUNT,
    &system::SCHEDULED_TASK,
    &system::SELBOOLEAN,
    &system::SELMODULE,
    &account::SSH_AUTHORIZED_KEY,
    &account::SSHKEY,
    &system::YUMREPO,
    &zone::ZFS,
    &zone::ZONE,
    &zone::ZPOOL,
];
