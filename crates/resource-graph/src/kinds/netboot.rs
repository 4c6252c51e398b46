//! Network boot: `dhcp:*` and `tftp:*` (spec 08 §3, §4).

use std::net::Ipv4Addr;

use super::http::{validate_listener, validate_source};
use crate::syntax;
use crate::validate::{Params, ValidationError};
use crate::{Check, Field, Repr, ResourceKind, Traits};

const DHCP_SERVER_NAME: Field =
    Field::new("server", "str", "The name of the `dhcp:server` to belong to; any when empty.");
const NBP: Field = Field::new("nbp", "str", "Where to boot from: `tftp://host/path`.");
const NBP_PATH: Field = Field::new("nbp_path", "str", "The path of `nbp`, when it must not start with `/`.");

pub(super) const DHCP_SERVER: ResourceKind = ResourceKind {
    name: "dhcp:server",
    doc: "A small DHCP server for IPv4.",
    fields: &[
        Field::new("address", "str", "`HOST:PORT` to listen on, normally `:67`.").default_name(),
        Field::new("interface", "str", "The interface to listen on.").required().check(Check::NotEmpty),
        Field::new("serverid", "str", "The server's identifier; an empty text sends none.").optional(),
        Field::new("leasetime", "str", "How long a lease lasts; an empty text sends none.")
            .optional()
            .default("\"10m\""),
        Field::new("dns", "[]str", "Addresses of name servers."),
        Field::new("routers", "[]str", "Addresses of routers."),
        NBP,
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: validate_dhcp_server,
};

fn validate_dhcp_server(p: &Params<'_>) -> Result<(), ValidationError> {
    validate_listener(p, true)?;
    if let Some(id) = p.set_text("serverid").filter(|id| !id.is_empty()) {
        ipv4("serverid", &id)?;
    }
    let lease = p.text("leasetime");
    if !lease.is_empty() {
        match syntax::duration(&lease) {
            Some(nanoseconds) if nanoseconds > 0 => {}
            Some(_) => {
                return Err(ValidationError::of("leasetime", format!("`leasetime` must be positive, not {lease:?}")));
            }
            None => {
                return Err(ValidationError::of("leasetime", format!("`leasetime` must be a duration, not {lease:?}"))
                    .help("write it like `90s` or `1h30m`"));
            }
        }
    }
    for param in ["dns", "routers"] {
        p.texts(param).try_for_each(|address| ipv4(param, &address))?;
    }
    boot_url(p)
}

fn ipv4(param: &str, text: &str) -> Result<(), ValidationError> {
    match text.parse::<Ipv4Addr>() {
        Ok(_) => Ok(()),
        Err(_) => Err(ValidationError::of(param, format!("`{param}` needs IPv4 addresses, and {text:?} is not one"))),
    }
}

fn boot_url(p: &Params<'_>) -> Result<(), ValidationError> {
    let nbp = p.text("nbp");
    if nbp.is_empty() || syntax::url(&nbp).is_some_and(|u| u.scheme == "tftp") {
        return Ok(());
    }
    Err(ValidationError::of("nbp", format!("`nbp` must start with `tftp://`, and {nbp:?} does not")))
}

/// The hardware address and the address with prefix of a host.
pub(super) fn validate_host(p: &Params<'_>) -> Result<(), ValidationError> {
    let mac = p.text("mac");
    if !syntax::is_canonical_mac(&mac) {
        let error = ValidationError::of("mac", format!("`mac` is not a hardware address in canonical form: {mac:?}"));
        let canonical = mac.to_ascii_lowercase().replace(['-', '.'], ":");
        return Err(if syntax::is_canonical_mac(&canonical) {
            error.help(format!("did you mean {canonical:?}?"))
        } else {
            error.help("write it like \"52:54:00:aa:bb:01\"")
        });
    }
    let ip = p.text("ip");
    match syntax::cidr(&ip) {
        Some((address, _)) if address.is_ipv4() => Ok(()),
        _ => Err(ValidationError::of("ip", format!("`ip` must be an IPv4 address with a prefix, not {ip:?}"))
            .help("write it like 192.0.2.7/24")),
    }
}

pub(super) const DHCP_HOST: ResourceKind = ResourceKind {
    name: "dhcp:host",
    doc: "A host with a fixed address.",
    fields: &[
        DHCP_SERVER_NAME,
        Field::new("mac", "str", "The hardware address, in lower case and with colons.").required(),
        Field::new("ip", "str", "The address with its prefix: `192.0.2.7/24`.").required(),
        NBP,
        NBP_PATH,
    ],
    sends: &[],
    traits: Traits { autogroup: true, ..Traits::NONE },
    validate: |p| {
        validate_host(p)?;
        boot_url(p)
    },
};

pub(super) const DHCP_RANGE: ResourceKind = ResourceKind {
    name: "dhcp:range",
    doc: "A pool of addresses.",
    fields: &[
        DHCP_SERVER_NAME,
        Field::new("network", "str", "The whole network: `192.0.2.0/24`.").default_name(),
        Field::new("from", "str", "The first address; together with `to`, instead of `network`."),
        Field::new("to", "str", "The last address."),
        Field::new("mask", "str", "The mask, when neither `from` nor `to` has a prefix: `/24` or `255.255.255.0`."),
        Field::new("skip", "[]str", "Addresses that are never given out."),
        Field::new("persist", "bool", "Keep the leases when the agent stops."),
        NBP,
        NBP_PATH,
    ],
    sends: &[],
    traits: Traits { autogroup: true, ..Traits::NONE },
    validate: validate_dhcp_range,
};

fn validate_dhcp_range(p: &Params<'_>) -> Result<(), ValidationError> {
    let (from, to, mask) = (p.text("from"), p.text("to"), p.text("mask"));
    match (from.is_empty(), to.is_empty()) {
        (false, false) => {
            for (param, bound) in [("from", &from), ("to", &to)] {
                ipv4(param, bound.split_once('/').map_or(&**bound, |(address, _)| address))?;
                if bound.contains('/') && syntax::cidr(bound).is_none() {
                    return Err(ValidationError::of(param, format!("`{param}` has a wrong prefix: {bound:?}")));
                }
            }
            match (from.contains('/') || to.contains('/'), mask.is_empty()) {
                (true, false) => {
                    return Err(ValidationError::of("mask", "`mask` says again what the prefix of a bound says"));
                }
                (false, true) => {
                    return Err(ValidationError::of(
                        "mask",
                        "`mask` is missing, and neither `from` nor `to` has a prefix",
                    ));
                }
                _ => {}
            }
            if !mask.is_empty() && syntax::ipv4_mask(&mask).is_none() {
                return Err(ValidationError::of("mask", format!("`mask` is not a network mask: {mask:?}"))
                    .help("write it like `/24` or `255.255.255.0`"));
            }
        }
        (true, true) => {
            if !mask.is_empty() {
                return Err(ValidationError::of("mask", "`mask` has no meaning with `network`, which has a prefix"));
            }
            let network = p.text_or_name("network");
            if !syntax::cidr(&network).is_some_and(|(address, _)| address.is_ipv4()) {
                return Err(ValidationError::of("network", format!("{network:?} is not an IPv4 network"))
                    .help("write it like 192.0.2.0/24, or set `from`, `to` and `mask`"));
            }
        }
        (true, false) | (false, true) => {
            return Err(ValidationError::of("from", "`from` and `to` need each other"));
        }
    }
    p.texts("skip").try_for_each(|a| ipv4("skip", a.split_once('/').map_or(&*a, |(address, _)| address)))?;
    boot_url(p)
}

pub(super) const TFTP_SERVER: ResourceKind = ResourceKind {
    name: "tftp:server",
    doc: "A TFTP server that only reads.",
    fields: &[
        Field::new("address", "str", "`HOST:PORT` to listen on, normally `:69`.").default_name(),
        Field::new("timeout", "int", "Seconds to wait for an acknowledgement.").default("5").repr(Repr::Uint64),
        Field::new("root", "str", "A directory to serve: absolute, with a final `/`.").check(Check::AbsoluteDirectory),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: |p| validate_listener(p, false),
};

pub(super) const TFTP_FILE: ResourceKind = ResourceKind {
    name: "tftp:file",
    doc: "A document that a `tftp:server` serves.",
    fields: &[
        Field::new("server", "str", "The name of the `tftp:server` to belong to; any when empty."),
        Field::new("filename", "str", "The public name.").default_name(),
        Field::new("path", "str", "The file to serve: absolute.").check(Check::AbsolutePath),
        Field::new("data", "str", "The content, instead of a file."),
    ],
    sends: &[],
    traits: Traits { autoedge: true, autogroup: true, ..Traits::NONE },
    validate: validate_source,
};
