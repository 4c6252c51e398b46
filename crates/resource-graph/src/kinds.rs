//! The table of all kinds. One file a kind or family: parameters, keys it sends, what it can do, and its conditions.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::ResourceKind;

mod account;
mod archive;
mod cloud;
mod control;
mod desktop;
mod docker;
mod exec;
mod file;
mod firmware;
mod host;
mod http;
mod netboot;
mod package;
mod remote;
mod service;
mod store;
mod testing;
mod text;
mod virt;

/// Sorted by name.
static KINDS: [ResourceKind; 61] = [
    testing::PANIC,
    text::AUGEAS,
    cloud::AWS_EC2,
    firmware::BMC_FIRMWARE,
    firmware::BMC_POWER,
    store::CONSUL_KV,
    service::CRON,
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

pub use exec::SIGNALS;
pub use file::file_path;

/// Every kind, sorted by name.
#[must_use]
pub fn all_kinds() -> &'static [ResourceKind] {
    &KINDS
}

/// The kind of that name.
#[must_use]
pub fn kind(name: &str) -> Option<&'static ResourceKind> {
    // Looked up several times for each resource, so by hash: a search would compare half a dozen names each time.
    static BY_NAME: LazyLock<FxHashMap<&str, &ResourceKind>> =
        LazyLock::new(|| KINDS.iter().map(|k| (k.name, k)).collect());
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
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
}
