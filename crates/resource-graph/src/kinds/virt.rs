//! libvirt: `virt`, `virt:network` with its children, `virt:builder` (spec 08 §9).

use std::net::Ipv4Addr;

use crate::kinds::netboot::validate_host;
use crate::{Check, Field, Grouping, Params, Repr, ResourceKind, Traits, ValidationError};

const URI: Field =
    Field::new("uri", "str", "The connection, such as `qemu:///session`; the default of libvirt if empty.");
const AUTH: Field = Field::new("auth", "struct{username str; password str}", "The credentials of the connection.")
    .optional()
    .sensitive();
const STARTUP: Field =
    Field::new("startup", "str", "Whether it starts with the host; if not set, this is not managed.")
        .one_of(&["enabled", "disabled", ""]);
const NETWORK_NAME: Field =
    Field::new("network", "str", "The name of the `virt:network` that it belongs to; any network if empty.");
const DISKS: &str = "[]struct{source str; type str}";

pub(super) const VIRT: ResourceKind = ResourceKind {
    name: "virt",
    doc: "A virtual machine or container of libvirt.",
    example: r#"virt "qemu:///session/web1" {
	state => "running",
	cpus => 2,
	memory => 1048576,
}"#,
    implemented: false,
    fields: &[
        URI,
        Field::new("state", "str", "Whether it runs; if not set, this is not managed.")
            .one_of(&["running", "paused", "shutoff", ""]),
        STARTUP,
        Field::new("transient", "bool", "Do not store its definition."),
        Field::new("cpus", "int", "The number of processors.").repr(Repr::Uint),
        Field::new("maxcpus", "int", "The maximum number of processors.").default("32").repr(Repr::Uint),
        Field::new("hotcpus", "bool", "Allow changing the number of processors while it runs.").default("true"),
        Field::new("memory", "int", "Memory in KiB.").repr(Repr::Uint64),
        Field::new("osinit", "str", "The init program, for containers."),
        Field::new("boot", "[]str", "The boot order: `fd`, `hd`, `cdrom`, `network`."),
        Field::new("disk", DISKS, "The disks."),
        Field::new("cdrom", DISKS, "The read-only disks."),
        Field::new("network", "[]struct{name str; mac str}", "The networks."),
        Field::new(
            "filesystem",
            "[]struct{access str; source str; target str; read_only bool}",
            "The directories of the host to mount.",
        ),
        AUTH,
        Field::new("restartondiverge", "str", "What to do if a change requires a restart.")
            .default("\"error\"")
            .one_of(&["ignore", "ifneeded", "error"]),
        Field::new("restartonrefresh", "bool", "Restart on a refresh."),
    ],
    traits: Traits { autoedge: true, refresh: true, ..Traits::NONE },
    validate: |p| {
        if p.meta().poll != 0 {
            return Err(ValidationError::of("Meta:poll", "`Meta:poll` is not allowed for `virt`"));
        }
        validate_transient(p)?;
        if p.int("cpus") > p.int("maxcpus") {
            return Err(ValidationError::of_value(
                "cpus",
                format!("`cpus` is out of range: expected at most {}, found {}", p.int("maxcpus"), p.int("cpus")),
            ));
        }
        Ok(())
    },
    ..ResourceKind::BASE
};

fn validate_transient(p: &Params<'_>) -> Result<(), ValidationError> {
    if p.bool("transient") && !p.string("startup").is_empty() {
        return Err(ValidationError::of("startup", "`startup` and `transient` are mutually exclusive"));
    }
    Ok(())
}

pub(super) const NETWORK: ResourceKind = ResourceKind {
    name: "virt:network",
    doc: "A libvirt network with address translation and DHCP.",
    example: r#"virt:network "lan" {
	state => "up",
	device => "virbr1",
	mac => "02:00:5e:10:00:01",
	ip => "192.0.2.1/24",
}"#,
    implemented: false,
    fields: &[
        URI,
        Field::new("state", "str", "Whether it is up; if not set, this is not managed.").one_of(&["up", "down", ""]),
        Field::new("transient", "bool", "Do not store its definition."),
        STARTUP,
        Field::new("uuid", "str", "A fixed UUID."),
        Field::new("device", "str", "The bridge.").default("\"virbr0\""),
        Field::new("mode", "str", "How it is connected to other networks.").default("\"nat\"").one_of(&["nat", ""]),
        Field::new("mac", "str", "The bridge's hardware address, in lowercase and with colons."),
        Field::new("ip", "str", "The router's address with its prefix length: `192.0.2.1/24`."),
        Field::new("purge_hosts", "bool", "Delete DHCP hosts that the program does not declare."),
        Field::new("purge_ranges", "bool", "Delete DHCP ranges that the program does not declare."),
        AUTH,
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| {
        validate_transient(p)?;
        let uuid = p.string("uuid");
        if !uuid.is_empty() && !is_uuid(&uuid) {
            return Err(ValidationError::of_value("uuid", format!("invalid `uuid` {uuid:?}")));
        }
        if p.bool("transient") && p.string("state") == "down" {
            return Ok(());
        }
        validate_host(p)
    },
    ..ResourceKind::BASE
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
    example: r#"virt:network:host "lan:web1" {
	mac => "02:00:5e:10:00:01",
	ip => "192.0.2.5/24",
}"#,
    implemented: false,
    fields: &[
        NETWORK_NAME,
        Field::new("hostname", "str", "The host's name.").default_name(),
        Field::new("mac", "str", "The hardware address, in lowercase and with colons.").required(),
        Field::new("ip", "str", "The address with its prefix length: `192.0.2.7/24`.").required(),
    ],
    traits: Traits { autogroup: true, ..Traits::NONE },
    validate: validate_host,
    grouping: Grouping::below("virt:network", "network"),
    ..ResourceKind::BASE
};

pub(super) const NETWORK_RANGE: ResourceKind = ResourceKind {
    name: "virt:network:range",
    doc: "A DHCP range of a libvirt network.",
    example: r#"virt:network:range "lan:range" {
	start => "192.0.2.100",
	end => "192.0.2.200",
}"#,
    implemented: false,
    fields: &[
        NETWORK_NAME,
        Field::new("start", "str", "The first address.").required(),
        Field::new("end", "str", "The last address.").required(),
    ],
    traits: Traits { autogroup: true, ..Traits::NONE },
    validate: |p| {
        let bound = |param: &str| {
            let text = p.string(param);
            text.parse::<Ipv4Addr>().map_err(|_| {
                ValidationError::of_value(param, format!("invalid `{param}`: expected an IPv4 address, found {text:?}"))
            })
        };
        if bound("start")? > bound("end")? {
            return Err(ValidationError::of("start", "`start` is greater than `end`"));
        }
        Ok(())
    },
    grouping: Grouping::below("virt:network", "network"),
    ..ResourceKind::BASE
};

pub(super) const BUILDER: ResourceKind = ResourceKind {
    name: "virt:builder",
    doc: "Builds a disk image with `virt-builder`. An existing image is never rebuilt.",
    example: r#"virt:builder "/srv/web1.raw" {
	os_version => "debian-12",
	packages => ["nginx"],
}"#,
    implemented: false,
    fields: &[
        Field::new("output", "str", "The absolute path of the image.").default_name().check(Check::AbsoluteFile),
        Field::new("os_version", "str", "The operating system and its version, such as `debian-13`.")
            .required()
            .check(Check::NotEmpty),
        Field::new("arch", "str", "The processor architecture.")
            .default("the host's")
            .one_of(&["i686", "x86_64", "aarch64", ""]),
        Field::new("hostname", "str", "The host name of the image."),
        Field::new("format", "str", "The format.").one_of(&["raw", "qcow2", ""]),
        Field::new("size", "int", "The size in bytes; 0 for the size of the template.").default("0"),
        Field::new("packages", "[]str", "Packages to install.").check(Check::NotEmpty),
        Field::new("update", "bool", "Update the packages.").default("true"),
        Field::new("selinux_relabel", "bool", "Relabel the files.").default("true"),
        Field::new("no_setup", "bool", "Do not install the tool."),
        Field::new("ssh_keys", "[]struct{user str; type str; key str; comment str}", "The accepted SSH keys."),
        Field::new("root_ssh_inject", "bool", "Accept the key of the host's root user.").default("true"),
        Field::new("root_password_selector", "str", "How root's password is set.").default("\"disabled\""),
        Field::new("bootstrap", "bool", "Copy this agent into the image.").default("true"),
        Field::new("seeds", "[]str", "Store addresses for the agent in the image; requires `bootstrap`."),
        Field::new("mkdir", "[]str", "Directories to create.").check(Check::AbsoluteDirectory),
        Field::new("copy_in", "[]struct{path str; dest str}", "The files to copy, and their destination directories."),
        Field::new("run_cmd", "[]str", "Commands to run while building.").check(Check::NotEmpty),
        Field::new("firstboot_cmd", "[]str", "Commands to run at the first boot.").check(Check::NotEmpty),
        Field::new("log_output", "bool", "Log the output of the tool.").default("true"),
        Field::new("tweaks", "bool", "Work around known problems of some systems.").default("true"),
    ],
    validate: validate_builder,
    ..ResourceKind::BASE
};

fn validate_builder(p: &Params<'_>) -> Result<(), ValidationError> {
    let output = p.string_or_name("output");
    if !output.starts_with('/') || output.ends_with('/') {
        return Err(ValidationError::of_value(
            "output",
            format!("invalid `output`: expected the absolute path of a file, found {output:?}"),
        ));
    }
    if p.int("size") < 0 {
        return Err(ValidationError::of_value("size", "negative `size`"));
    }
    if let Some(package) = p.strings("packages").find(|name| name.contains(',')) {
        return Err(ValidationError::of(
            "packages",
            format!("invalid package {package:?} in `packages`: unexpected comma"),
        ));
    }
    if p.strings("seeds").next().is_some() && !p.bool("bootstrap") {
        return Err(ValidationError::of("seeds", "`seeds` requires `bootstrap`"));
    }
    Ok(())
}
