//! The table of all kinds. Each family of kinds has one file: parameters, send keys, abilities, validation, automatic edges
//! and groups. The formats of parameters are parsed here, too.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::{Params, Resource, ResourceKind};

mod account;
mod archive;
mod authorized_key;
mod cloud;
mod control;
mod cron_job;
mod desktop;
mod docker;
mod exec;
mod file;
mod firmware;
mod host;
mod http;
mod ini;
mod json_edit;
mod mode_change;
mod netboot;
mod package;
mod remote;
mod service;
mod store;
mod symbolic_mode;
mod syntax;
mod testing;
mod text;
mod virt;

pub use authorized_key::{AuthorizedKey, AuthorizedKeyError};
pub use cron_job::{CRON_COLUMNS, CRONTAB_DIRECTORIES, is_assignment};
pub use exec::SIGNALS;
pub use file::file_path;
pub use ini::{IniParts, IniStyle};
pub use json_edit::{JsonEdit, JsonEditError, JsonStore, JsonStoreError};
pub use mode_change::{ModeChange, ModeChangeError};
pub use symbolic_mode::{SymbolicMode, SymbolicModeError};

/// Sorted by name.
static KINDS: &[ResourceKind] = &[
    testing::PANIC,
    text::AUGEAS,
    cloud::AWS_EC2,
    firmware::BMC_FIRMWARE,
    firmware::BMC_POWER,
    store::CONSUL_KV,
    service::CRON,
    cron_job::CRON_JOB,
    archive::DEPLOY_TAR,
    netboot::DHCP_HOST,
    netboot::DHCP_RANGE,
    netboot::DHCP_SERVER,
    docker::CONTAINER,
    docker::IMAGE,
    exec::EXEC,
    control::EXIT,
    file::FILE,
    desktop::FIREWALLD,
    firmware::FWATTR,
    firmware::FWUPD_DEVICE,
    firmware::FWUPD_REMOTE,
    firmware::FWUPD_SYSTEM,
    account::GROUP,
    desktop::GSETTINGS,
    archive::GZIP,
    cloud::HETZNER_VM,
    host::HOSTNAME,
    http::CLIENT,
    http::SERVER,
    http::FILE,
    http::FLAG,
    http::PROXY,
    http::UI,
    http::UI_INPUT,
    ini::SETTING,
    text::JSON_EDIT,
    store::KV,
    text::LINE,
    host::MOUNT,
    control::MSG,
    host::NET,
    testing::NOOP,
    service::NSPAWN,
    store::PASSWORD,
    package::PKG,
    testing::PRINT,
    remote::REMOTE,
    store::SCHEDULE,
    text::AUTHORIZED_KEY,
    service::SVC,
    host::SYSCTL,
    archive::TAR,
    testing::TEST,
    netboot::TFTP_FILE,
    netboot::TFTP_SERVER,
    control::TIMER,
    account::USER,
    store::VALUE,
    virt::VIRT,
    virt::BUILDER,
    virt::NETWORK,
    virt::NETWORK_HOST,
    virt::NETWORK_RANGE,
];

/// Returns every kind, sorted by name.
#[must_use]
pub fn all_kinds() -> &'static [ResourceKind] {
    KINDS
}

/// Returns the kind with this name.
#[must_use]
pub fn kind(name: &str) -> Option<&'static ResourceKind> {
    // Looked up several times for each resource: a hash is faster than the string comparisons of a binary search.
    static BY_NAME: LazyLock<FxHashMap<&str, &ResourceKind>> =
        LazyLock::new(|| KINDS.iter().map(|k| (k.name, k)).collect());
    BY_NAME.get(name).copied()
}

impl<'a> Params<'a> {
    /// Returns the parameters of a resource; `None` if its kind is unknown.
    #[must_use]
    pub fn of(resource: &'a Resource) -> Option<Params<'a>> {
        Some(Params::new(kind(&resource.id.kind)?, resource))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for k in all_kinds() {
            assert!(std::ptr::eq(kind(k.name).unwrap(), k), "{} is not found", k.name);
        }
        assert!(all_kinds().is_sorted_by_key(|k| k.name));
        assert!(kind("no-such-kind").is_none());
        assert!(kind("").is_none());
    }

    #[test]
    fn fields_are_documented_and_unique() {
        for k in all_kinds() {
            assert!(!k.doc.is_empty(), "{}", k.name);
            for (i, f) in k.fields.iter().enumerate() {
                assert!(f.doc.ends_with('.'), "{}.{}: {:?}", k.name, f.name, f.doc);
                assert!(k.fields[..i].iter().all(|g| g.name != f.name), "{}.{}", k.name, f.name);
            }
        }
    }

    #[test]
    fn tables_of_a_kind_name_its_own_parameters() {
        for k in all_kinds() {
            let parent = k.grouping.parent.map(|parent| parent.parameter);
            let constants = k.constants.iter().map(|c| c.param);
            for name in constants.chain(parent).chain(k.refresh_parameter).chain(k.never_equal_parameter) {
                assert!(k.field(name).is_some(), "{}.{name}", k.name);
            }
            assert!(k.grouping.parent.is_none_or(|parent| kind(parent.kind).is_some()), "{}", k.name);
        }
    }

    #[test]
    fn some_kinds_are_not_implemented() {
        let names: Vec<&str> = all_kinds().iter().filter(|k| !k.implemented).map(|k| k.name).collect();
        expect![[r#"
            augeas
            aws:ec2
            bmc:firmware
            bmc:power
            consul:kv
            dhcp:host
            dhcp:range
            dhcp:server
            docker:container
            docker:image
            firewalld
            fwattr
            fwupd:device
            fwupd:remote
            fwupd:system
            gsettings
            hetzner:vm
            http:client
            http:server
            http:server:file
            http:server:flag
            http:server:proxy
            http:server:ui
            http:server:ui:input
            nspawn
            remote
            tftp:file
            tftp:server
            virt
            virt:builder
            virt:network
            virt:network:host
            virt:network:range"#]]
        .assert_eq(&names.join("\n"));
    }

    #[test]
    fn the_readme_lists_the_implemented_kinds() {
        let readme = include_str!("../../../README.md");
        let (_, list) = readme.split_once("these can be applied:").unwrap();
        let (list, _) = list.split_once('.').unwrap();
        let listed: Vec<&str> = list.split_whitespace().map(|word| word.trim_matches('`')).collect();
        let implemented = all_kinds().iter().filter(|k| k.is_public() && k.implemented);
        assert_eq!(listed, implemented.map(|k| k.name).collect::<Vec<_>>());
    }
}
