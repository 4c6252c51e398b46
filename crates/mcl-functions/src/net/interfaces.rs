//! The network interfaces of this machine. The kernel notifies of changes of links and addresses.

use std::net::IpAddr;
use std::path::Path;

use go_compat::os::error_text;
use mcl_value::Value;

use crate::args::Args;
use crate::kernel_events::KernelEvents;
use crate::table::{Outcome, fatal, ok};
use crate::{FunctionError, Stream, StreamContext};

/// A network interface.
struct Interface {
    index: u32,
    name: String,
    mac: Option<String>,
    loopback: bool,
    up: bool,
    wireless: bool,
}

/// Returns all interfaces, in the order of the kernel.
fn interfaces() -> std::io::Result<Vec<Interface>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/sys/class/net")? {
        let path = entry?.path();
        let read = |file: &str| std::fs::read_to_string(path.join(file)).unwrap_or_default().trim().to_owned();
        // Entries that are not interfaces (`bonding_masters`) have no index.
        let Ok(index) = read("ifindex").parse() else { continue };
        let flags = u32::from_str_radix(read("flags").trim_start_matches("0x"), 16).unwrap_or(0);
        let (up, loopback) = (flags & 1 != 0, flags & 8 != 0);
        let mac = Some(read("address")).filter(|mac| mac.len() == 17);
        let wireless = path.join("wireless").exists();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        found.push(Interface { index, name, mac, loopback, up, wireless });
    }
    found.sort_by_key(|interface| interface.index);
    Ok(found)
}

/// Returns the MAC addresses of all interfaces except the loopback interface.
pub(crate) fn hardware_addresses() -> Result<Vec<String>, FunctionError> {
    let found = interfaces().map_err(|error| listing_failed(&error))?;
    Ok(found.into_iter().filter(|interface| !interface.loopback).filter_map(|interface| interface.mac).collect())
}

fn listing_failed(error: &std::io::Error) -> FunctionError {
    FunctionError::fatal(format!("could not list the network interfaces: {}", error_text(error)))
}

#[derive(Default)]
pub(super) struct Macs(Option<KernelEvents>);

impl Stream for Macs {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        KernelEvents::network(&mut self.0, cx)?;
        ok(Value::list(hardware_addresses()?))
    }
}

#[derive(Default)]
pub(super) struct WiredInterface(Option<KernelEvents>);

impl Stream for WiredInterface {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        KernelEvents::network(&mut self.0, cx)?;
        let mut found = interfaces().map_err(|error| listing_failed(&error))?;
        found.retain(|interface| !interface.loopback && !interface.wireless && interface.mac.is_some());
        match found.iter().find(|interface| interface.up).or(found.first()) {
            Some(interface) => ok(interface.name.as_str()),
            None => fatal("no wired network interface found"),
        }
    }
}

#[derive(Default)]
pub(super) struct InterfaceCidr(Option<KernelEvents>);

impl Stream for InterfaceCidr {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        KernelEvents::network(&mut self.0, cx)?;
        let name = args.text(0)?;
        let exists = !name.is_empty() && !name.contains('/') && Path::new("/sys/class/net").join(&*name).exists();
        if !exists {
            return fatal(format!("could not find interface `{name}`: route ip+net: no such network interface"));
        }
        let addresses = if_addrs::get_if_addrs().map_err(|error| listing_failed(&error))?;
        let usable = addresses.iter().filter(|address| address.name == *name).find_map(|address| match &address.addr {
            if_addrs::IfAddr::V4(v4) if is_global_unicast(v4.ip.into()) => Some((v4.ip, v4.netmask)),
            _ => None,
        });
        match usable {
            Some((ip, mask)) => ok(format!("{ip}/{}", mask.to_bits().count_ones())),
            None => fatal(format!("interface `{name}` has no global-unicast IPv4 address")),
        }
    }
}

/// Returns whether Go considers the address global unicast, which includes private addresses.
fn is_global_unicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            !(v4.is_unspecified() || v4.is_loopback() || v4.is_multicast() || v4.is_link_local() || v4.is_broadcast())
        }
        IpAddr::V6(v6) => !(v6.is_unspecified() || v6.is_loopback() || v6.is_multicast()),
    }
}
