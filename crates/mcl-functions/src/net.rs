//! `net` (spec 03 §5.13).

mod cidr;
mod hostport;
mod interfaces;
mod mac;
mod url;

use go_compat::strings;
use mcl_value::Value;

use crate::Function;
use crate::args::Args;
use crate::table::{Outcome, catchable, ok, pure, streaming};

pub(crate) use interfaces::hardware_addresses;

pub(crate) static FUNCTIONS: &[Function] = &[
    pure(
        "net.cidr_to_first",
        "func(a str) str",
        "Returns the address after the given one; a result outside the network is a catchable error.",
        |_, args| catch(cidr::first(&args.text(0)?)),
    )
    .example(r#"net.cidr_to_first("192.0.2.0/24") == "192.0.2.1""#),
    pure("net.cidr_to_ip", "func(a str) str", "Returns the address of `address/prefix`.", |_, args| {
        with_cidr(args, |cidr| cidr.address.to_string())
    })
    .example(r#"net.cidr_to_ip("192.0.2.5/24") == "192.0.2.5""#),
    pure("net.cidr_to_last", "func(a str) str", "Returns the last address of a network.", |_, args| {
        catch(cidr::last(&args.text(0)?))
    })
    .example(r#"net.cidr_to_last("192.0.2.0/24") == "192.0.2.255""#),
    pure(
        "net.cidr_to_mask",
        "func(a str) str",
        "Returns the network mask in the notation of an address.",
        |_, args| with_cidr(args, |cidr| cidr.mask().to_string()),
    )
    .example(r#"net.cidr_to_mask("192.0.2.0/24") == "255.255.255.0""#),
    pure(
        "net.cidr_to_network",
        "func(a str) str",
        "Returns the network in the notation `address/prefix`.",
        |_, args| with_cidr(args, |cidr| format!("{}/{}", cidr.network(), cidr.prefix)),
    )
    .example(r#"net.cidr_to_network("192.0.2.5/24") == "192.0.2.0/24""#),
    pure("net.cidr_to_prefix", "func(a str) str", "Returns the prefix length.", |_, args| {
        with_cidr(args, |cidr| cidr.prefix.to_string())
    })
    .example(r#"net.cidr_to_prefix("192.0.2.0/24") == "24""#),
    streaming(
        "net.interface_cidr",
        "func(interface str) str",
        "Returns the first IPv4 address of a network interface as `address/prefix`. Updates when it changes.",
        || Box::<interfaces::InterfaceCidr>::default(),
    )
    .example(r#"net.interface_cidr("eth0")"#),
    pure(
        "net.ip_in_cidr",
        "func(ip str, cidr str) bool",
        "Returns whether an address belongs to a network.",
        |_, args| {
            let (ip, network) = (args.text(0)?, args.text(1)?);
            let Some(address) = cidr::parse_address(&ip) else { return catchable(format!("invalid IP: {ip}")) };
            match cidr::Cidr::parse(&network) {
                Some(cidr) => ok(cidr.contains(address)),
                None => catchable(format!("invalid CIDR address: {network}")),
            }
        },
    )
    .example(r#"net.ip_in_cidr("192.0.2.5", "192.0.2.0/24") == true"#),
    pure(
        "net.is_mac",
        "func(a str) bool",
        "Returns whether the string is a MAC address in lower case with colons.",
        |_, args| {
            let text = args.text(0)?;
            ok(mac::format(&text, ':').is_ok_and(|canonical| canonical == text))
        },
    )
    .example(r#"net.is_mac("02:00:5e:10:00:01") == true"#),
    pure("net.macfmt", "func(a str) str", "Formats a MAC address in lower case with colons.", |_, args| {
        catch(mac::format(&args.text(0)?, ':'))
    })
    .example(r#"net.macfmt("02-00-5E-10-00-01") == "02:00:5e:10:00:01""#),
    streaming(
        "net.macs",
        "func() []str",
        "Returns the MAC addresses of this machine. Updates when they change.",
        || Box::<interfaces::Macs>::default(),
    ),
    pure("net.oldmacfmt", "func(a str) str", "Formats a MAC address in lower case with hyphens.", |_, args| {
        catch(mac::format(&args.text(0)?, '-'))
    })
    .example(r#"net.oldmacfmt("02:00:5e:10:00:01") == "02-00-5e-10-00-01""#),
    pure("net.split_hostport", "func(0 str) struct{host str; port str}", "Splits `host:port`.", |_, args| {
        match hostport::split(&args.text(0)?) {
            Ok((host, port)) => ok(Value::strukt([("host", host.into()), ("port", port.into())])),
            Err(error) => catchable(format!("error parsing the input: {error}")),
        }
    })
    .example(r#"net.split_hostport("web1:80")->port == "80""#),
    pure(
        "net.url_parser",
        "func(0 str) struct{scheme str; host str; path str; raw_query str}",
        "Splits a URL into its parts.",
        |_, args| match url::parse(args.bytes(0)?) {
            Ok(url) if url.scheme.is_empty() => catchable("empty schemes are invalid"),
            Ok(url) => ok(Value::strukt([
                ("scheme", url.scheme.into()),
                ("host", url.host.into()),
                ("path", url.path.into()),
                ("raw_query", url.raw_query.into()),
            ])),
            Err(error) => catchable(format!("error parsing the URL: {error}")),
        },
    )
    .example(r#"net.url_parser("https://web1/a")->host == "web1""#),
    streaming(
        "net.wired_interface",
        "func() str",
        "Returns the name of the first wired network interface. Updates when it changes.",
        || Box::<interfaces::WiredInterface>::default(),
    ),
];

fn catch(result: Result<String, impl std::error::Error>) -> Outcome {
    result.map_or_else(|error| catchable(error.to_string()), ok)
}

/// Parses the argument without surrounding whitespace and formats a property of it.
fn with_cidr(args: &[Value], show: impl FnOnce(&cidr::Cidr) -> String) -> Outcome {
    let text = String::from_utf8_lossy(strings::trim_space(args.bytes(0)?)).into_owned();
    match cidr::Cidr::parse(&text) {
        Some(cidr) => ok(show(&cidr)),
        None => catchable(format!("invalid CIDR address: {text}")),
    }
}
