//! libvirt: `virt`, `virt:network` with its children, `virt:builder` (spec 08 §9).

use std::net::Ipv4Addr;

use super::netboot::validate_host;
use crate::validate::{Params, ValidationError};
use crate::{Check, Field, Repr, ResourceKind, Traits};

const URI: Field = Field::new("uri", "str", "The connection: `qemu:///session`; the library's default when empty.");
const AUTH: Field = Field::new("auth", "struct{username str; password str}", "Who connects.").optional().sensitive();
const STARTUP: Field = Field::new("startup", "str", "Whether it starts with the host; not set leaves it alone.")
    .one_of(&["enabled", "disabled", ""]);
const NETWORK_NAME: Field =
    Field::new("network", "str", "The name of the `virt:network` to belong to; any when empty.");
const DISKS: &str = "[]struct{source str; type str}";

pub(super) const VIRT: ResourceKind = ResourceKind {
    name: "virt",
    doc: "A virtual machine or container of libvirt.",
    fields: &[
        URI,
        Field::new("state", "str", "What it does; not set leaves it alone.")
            .one_of(&["running", "paused", "shutoff", ""]),
        STARTUP,
        Field::new("transient", "bool", "Do not keep its definition."),
        Field::new("cpus", "int", "The number of processors.").repr(Repr::Uint),
        Field::new("maxcpus", "int", "How many processors it may get.").default("32").repr(Repr::Uint),
        Field::new("hotcpus", "bool", "Allow to change the number while it runs.").default("true"),
        Field::new("memory", "int", "Memory in KiB.").repr(Repr::Uint64),
        Field::new("osinit", "str", "The first program, for containers."),
        Field::new("boot", "[]str", "What to boot from, in order: `fd`, `hd`, `cdrom`, `network`."),
        Field::new("disk", DISKS, "Disks."),
        Field::new("cdrom", DISKS, "Disks that are only read."),
        Field::new("network", "[]struct{name str; mac str}", "Networks of libvirt."),
        Field::new(
            "filesystem",
            "[]struct{access str; source str; target str; read_only bool}",
            "Directories of the host to mount.",
        ),
        AUTH,
        Field::new("restartondiverge", "str", "What to do about changes that need a restart.")
            .default("\"error\"")
            .one_of(&["ignore", "ifneeded", "error"]),
        Field::new("restartonrefresh", "bool", "Restart when notified."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, refresh: true, ..Traits::NONE },
    validate: |p| {
        if p.meta().poll != 0 {
            return Err(ValidationError::of("Meta:poll", "`virt` cannot poll"));
        }
        validate_transient(p)?;
        if p.int("cpus") > p.int("maxcpus") {
            return Err(ValidationError::of(
                "cpus",
                format!("`cpus` is {}, more than `maxcpus`, which is {}", p.int("cpus"), p.int("maxcpus")),
            ));
        }
        Ok(())
    },
};

fn validate_transient(p: &Params<'_>) -> Result<(), ValidationError> {
    if p.bool("transient") && !p.text("startup").is_empty() {
        return Err(ValidationError::of("startup", "`startup` has no meaning for what is `transient`"));
    }
    Ok(())
}

pub(super) const NETWORK: ResourceKind = ResourceKind {
    name: "virt:network",
    doc: "A libvirt network with address translation and DHCP.",
    fields: &[
        URI,
        Field::new("state", "str", "Whether it is up; not set leaves it alone.").one_of(&["up", "down", ""]),
        Field::new("transient", "bool", "Do not keep its definition."),
        STARTUP,
        Field::new("uuid", "str", "A fixed UUID."),
        Field::new("device", "str", "The bridge.").default("\"virbr0\""),
        Field::new("mode", "str", "How it reaches the outside.").default("\"nat\"").one_of(&["nat", ""]),
        Field::new("mac", "str", "The bridge's hardware address, in lower case and with colons."),
        Field::new("ip", "str", "The router's address with its prefix: `192.0.2.1/24`."),
        Field::new("purge_hosts", "bool", "Delete DHCP hosts that the program does not name."),
        Field::new("purge_ranges", "bool", "Delete DHCP ranges that the program does not name."),
        AUTH,
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| {
        validate_transient(p)?;
        let uuid = p.text("uuid");
        if !uuid.is_empty() && !is_uuid(&uuid) {
            return Err(ValidationError::of("uuid", format!("`uuid` is not a UUID: {uuid:?}")));
        }
        if p.bool("transient") && p.text("state") == "down" {
            return Ok(());
        }
        validate_host(p)
    },
};

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

pub(super) const NETWORK_HOST: ResourceKind = ResourceKind {
    name: "virt:network:host",
    doc: "A DHCP host of a libvirt network.",
    fields: &[
        NETWORK_NAME,
        Field::new("hostname", "str", "The host's name.").default_name(),
        Field::new("mac", "str", "The hardware address, in lower case and with colons.").required(),
        Field::new("ip", "str", "The address with its prefix: `192.0.2.7/24`.").required(),
    ],
    sends: &[],
    traits: Traits { autogroup: true, ..Traits::NONE },
    validate: validate_host,
};

pub(super) const NETWORK_RANGE: ResourceKind = ResourceKind {
    name: "virt:network:range",
    doc: "A DHCP range of a libvirt network.",
    fields: &[
        NETWORK_NAME,
        Field::new("start", "str", "The first address.").required(),
        Field::new("end", "str", "The last address.").required(),
    ],
    sends: &[],
    traits: Traits { autogroup: true, ..Traits::NONE },
    validate: |p| {
        let bound = |param: &str| {
            let text = p.text(param);
            text.parse::<Ipv4Addr>()
                .map_err(|_| ValidationError::of(param, format!("`{param}` must be an IPv4 address, not {text:?}")))
        };
        if bound("start")? > bound("end")? {
            return Err(ValidationError::of("start", "`start` comes after `end`"));
        }
        Ok(())
    },
};

pub(super) const BUILDER: ResourceKind = ResourceKind {
    name: "virt:builder",
    doc: "Builds a disk image with `virt-builder`. An image that exists is never built again.",
    fields: &[
        Field::new("output", "str", "The image: an absolute path.").default_name().check(Check::AbsoluteFile),
        Field::new("os_version", "str", "What to build: `debian-13`.").required().check(Check::NotEmpty),
        Field::new("arch", "str", "The processor.").default("the host's").one_of(&["i686", "x86_64", "aarch64", ""]),
        Field::new("hostname", "str", "The host name inside."),
        Field::new("format", "str", "The format.").one_of(&["raw", "qcow2", ""]),
        Field::new("size", "int", "The size in bytes; 0 for the template's.").default("0"),
        Field::new("packages", "[]str", "Packages to install.").check(Check::NotEmpty),
        Field::new("update", "bool", "Update the packages.").default("true"),
        Field::new("selinux_relabel", "bool", "Relabel the files.").default("true"),
        Field::new("no_setup", "bool", "Do not install the tool."),
        Field::new("ssh_keys", "[]struct{user str; type str; key str; comment str}", "Keys to allow in."),
        Field::new("root_ssh_inject", "bool", "Allow root's own key in.").default("true"),
        Field::new("root_password_selector", "str", "How root's password is set.").default("\"disabled\""),
        Field::new("bootstrap", "bool", "Copy this agent into the image.").default("true"),
        Field::new("seeds", "[]str", "Store addresses for the agent inside; needs `bootstrap`."),
        Field::new("mkdir", "[]str", "Directories to create.").check(Check::AbsoluteDirectory),
        Field::new("copy_in", "[]struct{path str; dest str}", "What to copy in, and to which directories."),
        Field::new("run_cmd", "[]str", "Commands to run while building.").check(Check::NotEmpty),
        Field::new("firstboot_cmd", "[]str", "Commands to run at the first boot.").check(Check::NotEmpty),
        Field::new("log_output", "bool", "Keep what the tool prints.").default("true"),
        Field::new("tweaks", "bool", "Repair known problems of some systems.").default("true"),
    ],
    sends: &[],
    traits: Traits::NONE,
    validate: validate_builder,
};

fn validate_builder(p: &Params<'_>) -> Result<(), ValidationError> {
    let output = p.text_or_name("output");
    if !output.starts_with('/') || output.ends_with('/') {
        return Err(ValidationError::of(
            "output",
            format!("the image must be the absolute path of a file, not {output:?}"),
        ));
    }
    if p.int("size") < 0 {
        return Err(ValidationError::of("size", "`size` must not be negative"));
    }
    if let Some(package) = p.texts("packages").find(|name| name.contains(',')) {
        return Err(ValidationError::of("packages", format!("{package:?} in `packages` contains a comma")));
    }
    if p.texts("seeds").next().is_some() && !p.bool("bootstrap") {
        return Err(ValidationError::of("seeds", "`seeds` needs `bootstrap`"));
    }
    Ok(())
}
