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

/// Whether a type is one of Puppet itself, or of a module that Puppet is delivered with, whose types hardly change.
#[must_use]
pub fn is_delivered_with_puppet(name: &str) -> bool {
    module_of_type(name).is_none_or(|module| module.ends_with("_core"))
}

/// Returns the module that a type which once was part of Puppet, or is often used, belongs to now.
#[must_use]
pub fn module_of_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "anchor" | "file_line" => "stdlib",
        "augeas" => "augeas_core",
        "concat_file" | "concat_fragment" => "concat",
        "cron" => "cron_core",
        "host" => "host_core",
        "k5login" => "k5login_core",
        "mailalias" => "mailalias_core",
        "mount" => "mount_core",
        "scheduled_task" => "scheduled_task",
        "selboolean" | "selmodule" => "selinux_core",
        "ssh_authorized_key" | "sshkey" => "sshkeys_core",
        "yumrepo" => "yumrepo_core",
        "zfs" | "zpool" => "zfs_core",
        "zone" => "zone_core",
        _ => return None,
    })
}
