//! Network boot: `dhcp:*` and `tftp:*` (spec 08 §3, §4).

use std::net::Ipv4Addr;

use crate::kinds::http::{AddressFamily, validate_listener, validate_source, want_served_path};
use crate::kinds::syntax;
use crate::{AutoEdges, Check, Comparison, Field, Grouping, Params, Repr, ResourceKind, Traits, ValidationError};

const DHCP_SERVER_NAME: Field =
    Field::new("server", "str", "The name of the `dhcp:server` that it belongs to; any server if empty.");
const NBP: Field = Field::new("nbp", "str", "The boot program, as `tftp://host/path`.");
const NBP_PATH: Field = Field::new("nbp_path", "str", "The path of `nbp` if it must not start with `/`.");

pub(super) const DHCP_SERVER: ResourceKind = ResourceKind {
    name: "dhcp:server",
    doc: "A small DHCP server for IPv4.",
    example: r#"dhcp:server ":67" {
	interface => "eth1",
	leasetime => "60s",
	dns => ["192.0.2.1"],
	routers => ["192.0.2.1"],
}"#,
    implemented: false,
    fields: &[
        Field::new("address", "str", "`HOST:PORT` to listen on, usually `:67`.").default_name(),
        Field::new("interface", "str", "The interface to listen on.").required().check(Check::NotEmpty),
        Field::new("serverid", "str", "The server's identifier; an empty string sends none.").optional(),
        Field::new("leasetime", "str", "The duration of a lease; an empty string sends none.")
            .optional()
            .default("\"10m\"")
            .compared(Comparison::Custom(|a, b| lease_time(a) == lease_time(b))),
        Field::new("dns", "[]str", "Addresses of name servers."),
        Field::new("routers", "[]str", "Addresses of routers."),
        NBP,
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: validate_dhcp_server,
    ..ResourceKind::BASE
};

fn validate_dhcp_server(p: &Params<'_>) -> Result<(), ValidationError> {
    validate_listener(p, AddressFamily::Ipv4)?;
    if let Some(id) = p.given_string("serverid").filter(|id| !id.is_empty()) {
        ipv4("serverid", &id)?;
    }
    let lease = p.string("leasetime");
    if !lease.is_empty() {
        match syntax::duration(&lease) {
            Some(nanoseconds) if nanoseconds > 0 => {}
            Some(_) => {
                return Err(ValidationError::of_value(
                    "leasetime",
                    format!("invalid `leasetime` {lease:?}: expected a positive duration"),
                ));
            }
            None => {
                return Err(ValidationError::of_value(
                    "leasetime",
                    format!("invalid `leasetime` {lease:?}: expected a duration"),
                )
                .help("write it like `90s` or `1h30m`"));
            }
        }
    }
    for param in ["dns", "routers"] {
        p.strings(param).try_for_each(|address| ipv4(param, &address))?;
    }
    boot_url(p)
}

/// Returns the lease time in nanoseconds.
fn lease_time(p: &Params<'_>) -> Option<i128> {
    syntax::duration(&p.string("leasetime"))
}

fn ipv4(param: &str, text: &str) -> Result<(), ValidationError> {
    match text.parse::<Ipv4Addr>() {
        Ok(_) => Ok(()),
        Err(_) => Err(ValidationError::of_value(
            param,
            format!("invalid `{param}`: expected an IPv4 address, found {text:?}"),
        )),
    }
}

fn boot_url(p: &Params<'_>) -> Result<(), ValidationError> {
    let nbp = p.string("nbp");
    if nbp.is_empty() || syntax::url(&nbp).is_some_and(|u| u.scheme == "tftp") {
        return Ok(());
    }
    Err(ValidationError::of_value("nbp", format!("invalid `nbp`: expected a `tftp://` URL, found {nbp:?}")))
}

/// Checks the hardware address and the address of a host.
pub(super) fn validate_host(p: &Params<'_>) -> Result<(), ValidationError> {
    let mac = p.string("mac");
    if !syntax::is_canonical_mac(&mac) {
        let error = ValidationError::of_value(
            "mac",
            format!("invalid `mac`: expected a hardware address in canonical form, found {mac:?}"),
        );
        let canonical = mac.to_ascii_lowercase().replace(['-', '.'], ":");
        return Err(if syntax::is_canonical_mac(&canonical) {
            error.help(format!("did you mean {canonical:?}?"))
        } else {
            error.help("write it like \"52:54:00:aa:bb:01\"")
        });
    }
    let ip = p.string("ip");
    match syntax::cidr(&ip) {
        Some((address, _)) if address.is_ipv4() => Ok(()),
        _ => Err(ValidationError::of_value(
            "ip",
            format!("invalid `ip`: expected an IPv4 address with a prefix length, found {ip:?}"),
        )
        .help("write it like \"192.0.2.7/24\"")),
    }
}

pub(super) const DHCP_HOST: ResourceKind = ResourceKind {
    name: "dhcp:host",
    doc: "A host with a fixed address.",
    example: r#"dhcp:host "web1" {
	mac => "02:00:5e:10:00:01",
	ip => "192.0.2.5/24",
}"#,
    implemented: false,
    fields: &[
        DHCP_SERVER_NAME,
        Field::new("mac", "str", "The hardware address, in lowercase and with colons.").required(),
        Field::new("ip", "str", "The address with its prefix length: `192.0.2.7/24`.").required(),
        NBP,
        NBP_PATH,
    ],
    traits: Traits { autogroup: true, ..Traits::NONE },
    validate: |p| {
        validate_host(p)?;
        boot_url(p)
    },
    grouping: Grouping::below("dhcp:server", "server"),
    ..ResourceKind::BASE
};

pub(super) const DHCP_RANGE: ResourceKind = ResourceKind {
    name: "dhcp:range",
    doc: "A pool of addresses.",
    example: r#"dhcp:range "192.0.2.0/24" {
	from => "192.0.2.100",
	to => "192.0.2.200",
	mask => "255.255.255.0",
}"#,
    implemented: false,
    fields: &[
        DHCP_SERVER_NAME,
        Field::new("network", "str", "The whole network: `192.0.2.0/24`.").default_name(),
        Field::new("from", "str", "The first address, in place of `network`; requires `to`."),
        Field::new("to", "str", "The last address; requires `from`."),
        Field::new(
            "mask",
            "str",
            "The mask, such as `/24` or `255.255.255.0`, if neither `from` nor `to` has a prefix length.",
        ),
        Field::new("skip", "[]str", "Addresses that are never assigned."),
        Field::new("persist", "bool", "Keep the leases after the agent has stopped."),
        NBP,
        NBP_PATH,
    ],
    traits: Traits { autogroup: true, ..Traits::NONE },
    validate: validate_dhcp_range,
    grouping: Grouping::below("dhcp:server", "server"),
    ..ResourceKind::BASE
};

fn validate_dhcp_range(p: &Params<'_>) -> Result<(), ValidationError> {
    let (from, to, mask) = (p.string("from"), p.string("to"), p.string("mask"));
    match (from.is_empty(), to.is_empty()) {
        (false, false) => {
            for (param, bound) in [("from", &from), ("to", &to)] {
                ipv4(param, bound.split_once('/').map_or(&**bound, |(address, _)| address))?;
                if bound.contains('/') && syntax::cidr(bound).is_none() {
                    return Err(ValidationError::of_value(
                        param,
                        format!("invalid prefix length in `{param}`: {bound:?}"),
                    ));
                }
            }
            match (from.contains('/') || to.contains('/'), mask.is_empty()) {
                (true, false) => {
                    return Err(ValidationError::of(
                        "mask",
                        "`mask` and a prefix length in `from` or `to` are mutually exclusive",
                    ));
                }
                (false, true) => {
                    return Err(ValidationError::of(
                        "mask",
                        "missing parameter `mask`: neither `from` nor `to` has a prefix length",
                    ));
                }
                _ => {}
            }
            if !mask.is_empty() && syntax::ipv4_mask(&mask).is_none() {
                return Err(ValidationError::of_value(
                    "mask",
                    format!("invalid `mask`: expected a network mask, found {mask:?}"),
                )
                .help("write it like `/24` or `255.255.255.0`"));
            }
        }
        (true, true) => {
            if !mask.is_empty() {
                return Err(ValidationError::of("mask", "`mask` and `network` are mutually exclusive"));
            }
            let network = p.string_or_name("network");
            if !syntax::cidr(&network).is_some_and(|(address, _)| address.is_ipv4()) {
                return Err(ValidationError::of_value(
                    "network",
                    format!("invalid `network`: expected an IPv4 network, found {network:?}"),
                )
                .help("write it like \"192.0.2.0/24\", or set `from`, `to` and `mask`"));
            }
        }
        (true, false) | (false, true) => {
            return Err(ValidationError::of("from", "`from` and `to` require each other"));
        }
    }
    p.strings("skip").try_for_each(|a| ipv4("skip", a.split_once('/').map_or(&*a, |(address, _)| address)))?;
    boot_url(p)
}

pub(super) const TFTP_SERVER: ResourceKind = ResourceKind {
    name: "tftp:server",
    doc: "A read-only TFTP server.",
    example: r#"tftp:server ":69" {
	root => "/srv/tftp/",
}"#,
    implemented: false,
    fields: &[
        Field::new("address", "str", "`HOST:PORT` to listen on, usually `:69`.").default_name(),
        Field::new("timeout", "int", "Seconds to wait for an acknowledgement.").default("5").repr(Repr::Uint64),
        Field::new("root", "str", "The directory to serve: an absolute path with a trailing `/`.")
            .check(Check::AbsoluteDirectory),
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| validate_listener(p, AddressFamily::Any),
    ..ResourceKind::BASE
};

pub(super) const TFTP_FILE: ResourceKind = ResourceKind {
    name: "tftp:file",
    doc: "A document that a `tftp:server` serves.",
    example: r#"tftp:file "/pxelinux.cfg" {
	data => "default linux\n",
}"#,
    implemented: false,
    fields: &[
        Field::new("server", "str", "The name of the `tftp:server` that it belongs to; any server if empty."),
        Field::new("filename", "str", "The public name.").default_name(),
        Field::new("path", "str", "The file to serve: an absolute path.").check(Check::AbsolutePath),
        Field::new("data", "str", "The content, in place of a file."),
    ],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: validate_source,
    autoedges: AutoEdges { wants: want_served_path, ..AutoEdges::NONE },
    grouping: Grouping::below("tftp:server", "server"),
    ..ResourceKind::BASE
};
