//! Settings of the host: `hostname`, `sysctl`, `mount`, `net` (spec 05 §6.11, 6.13, 6.15, 6.23).

use std::net::IpAddr;

use crate::syntax;
use crate::validate::{Params, ValidationError, nothing_more};
use crate::{Field, ResourceKind, Traits};

pub(super) const HOSTNAME: ResourceKind = ResourceKind {
    name: "hostname",
    doc: "The pretty, static and transient names of this host.",
    fields: &[
        Field::new("hostname", "str", "The value of each name that is not given.").default_name(),
        Field::new("pretty_hostname", "str", "The name for people; an empty text leaves it alone.").optional(),
        Field::new("static_hostname", "str", "The name at boot; an empty text leaves it alone.").optional(),
        Field::new("transient_hostname", "str", "The kernel's name; an empty text leaves it alone.").optional(),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: nothing_more,
};

pub(super) const SYSCTL: ResourceKind = ResourceKind {
    name: "sysctl",
    doc: "A kernel parameter, now and at boot. The name is the dotted key.",
    fields: &[
        Field::new("value", "str", "The exact text, as the kernel prints it, without a line end.").required(),
        Field::new("runtime", "bool", "Set it in the running kernel.").default("true"),
        Field::new("persist", "bool", "Write the file that sets it at boot.").default("true"),
        Field::new("path", "str", "The file that sets it at boot.").default("/etc/sysctl.d/99-NAME.conf"),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_sysctl,
};

fn validate_sysctl(p: &Params<'_>) -> Result<(), ValidationError> {
    let name = p.name();
    if let Some(c) = name.chars().find(|c| matches!(c, '/' | '=')) {
        return Err(ValidationError::new(format!("the kernel parameter {name:?} must not contain `{c}`"))
            .help(format!("write the key with dots: {:?}", name.replace('/', "."))));
    }
    if name.starts_with('.') || name.ends_with('.') {
        return Err(ValidationError::new(format!("the kernel parameter {name:?} must not start or end with a dot")));
    }
    if name.trim() != name {
        return Err(ValidationError::new(format!("the kernel parameter {name:?} has white space around it")));
    }
    let value = p.text("value");
    if value.is_empty() {
        return Err(ValidationError::of("value", "`value` must not be empty"));
    }
    if value.trim() != value {
        return Err(ValidationError::of("value", format!("`value` has white space around it: {value:?}")));
    }
    if !p.bool("runtime") && !p.bool("persist") {
        return Err(ValidationError::of("runtime", "with both `runtime` and `persist` false there is nothing to do"));
    }
    let path = p.text("path");
    if p.bool("persist") && p.is_set("path") && !path.is_empty() {
        if !path.starts_with('/') {
            return Err(ValidationError::of("path", format!("`path` must be absolute, and {path:?} is not")));
        }
        if !path.ends_with(".conf") {
            return Err(ValidationError::of(
                "path",
                format!("`path` must end with `.conf`, or nothing reads {path:?} at boot"),
            ));
        }
    }
    Ok(())
}

pub(super) const MOUNT: ResourceKind = ResourceKind {
    name: "mount",
    doc: "A line of `/etc/fstab` and its mounted state. The name is the mount point.",
    fields: &[
        Field::new("state", "str", "Whether it exists.").required().one_of(&["exists", "absent"]),
        Field::new("device", "str", "A path, or `UUID=…`, `LABEL=…`, `PARTUUID=…`, `PARTLABEL=…`."),
        Field::new("type", "str", "The type of the file system."),
        Field::new("options", "map{str: str}", "Options and their values; an empty text for one without a value.")
            .default("{\"defaults\" => \"\",}"),
        Field::new("freq", "int", "The fifth column: whether to dump.").default("0"),
        Field::new("passno", "int", "The sixth column: the order of checks at boot.").default("0"),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_mount,
};

fn validate_mount(p: &Params<'_>) -> Result<(), ValidationError> {
    let name = p.name();
    if !name.starts_with('/') {
        return Err(ValidationError::new(format!("the mount point must be an absolute path, and {name:?} is not")));
    }
    if name.contains("//") {
        return Err(ValidationError::new(format!("the mount point {name:?} must not contain `//`")));
    }
    Ok(())
}

pub(super) const NET: ResourceKind = ResourceKind {
    name: "net",
    doc: "A network interface: whether it is up, its addresses and its default route. The name is the interface.",
    fields: &[
        Field::new("state", "str", "Whether it is up; not set leaves it alone.").one_of(&["up", "down", ""]),
        Field::new("addrs", "[]str", "The exact set of addresses, each with a prefix: `192.0.2.7/24`.").optional(),
        Field::new("gateway", "str", "The address of the default route."),
        Field::new("ip_forward", "bool", "Whether it forwards; only written to the network file.").optional(),
    ],
    sends: &[],
    traits: Traits { reverse: true, ..Traits::NONE },
    validate: validate_net,
};

fn validate_net(p: &Params<'_>) -> Result<(), ValidationError> {
    if let Some(address) = p.texts("addrs").find(|a| syntax::cidr(a).is_none()) {
        return Err(ValidationError::of("addrs", format!("{address:?} in `addrs` is not an address with a prefix"))
            .help("write it like 192.0.2.7/24"));
    }
    let gateway = p.text("gateway");
    if !gateway.is_empty() && gateway.parse::<IpAddr>().is_err() {
        return Err(ValidationError::of("gateway", format!("`gateway` must be an IP address, not {gateway:?}")));
    }
    Ok(())
}
