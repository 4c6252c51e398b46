//! `embedded/provisioner`: the options of a provisioning command line (spec 03 §5.23). Without that command line, as
//! here, the options have no values, and asking for one fails.

use crate::Function;
use crate::table::{fatal, host};

macro_rules! option {
    ($name:literal, $type:literal) => {
        host(
            concat!("embedded/provisioner.", $name),
            concat!("func() ", $type),
            "An option of the provisioner's command line.",
            |_, _| {
                let name = concat!("embedded/provisioner.", $name);
                fatal(format!("func `{name}()` has nil value: the provisioner's command line was not used"))
            },
        )
    };
}

pub(crate) static FUNCTIONS: &[Function] = &[
    option!("check", "bool"),
    option!("cli_arch", "str"),
    option!("cli_bios", "bool"),
    option!("cli_bmc_uri", "str"),
    option!("cli_distro", "str"),
    option!("cli_dns", "[]str"),
    option!("cli_firewalld", "bool"),
    option!("cli_flavour", "str"),
    option!("cli_handoff_code", "str"),
    option!("cli_handoff_exec", "str"),
    option!("cli_handoff_hostname", "str"),
    option!("cli_handoff_module_path", "str"),
    option!("cli_interface", "str"),
    option!("cli_ip", "str"),
    option!("cli_luks", "bool"),
    option!("cli_mac", "str"),
    option!("cli_mirror", "str"),
    option!("cli_network", "str"),
    option!("cli_packages", "[]str"),
    option!("cli_part", "str"),
    option!("cli_password", "str"),
    option!("cli_prefix", "str"),
    option!("cli_router", "str"),
    option!("cli_rsync", "str"),
    option!("cli_version", "str"),
];
