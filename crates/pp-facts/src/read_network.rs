//! Reads the interfaces, addresses and routes of this machine.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use nix::ifaddrs::{InterfaceAddress, getifaddrs};

use crate::link_mtu::link_mtus;
use crate::machine::Machine;
use crate::network_state::{Address, Link, NetworkState, Route};

/// Reads the network of this machine.
pub(crate) fn read_network(machine: &Machine) -> NetworkState {
    let interfaces: Vec<InterfaceAddress> = getifaddrs().into_iter().flatten().collect();
    let mtus = link_mtus().ok();
    let mut links: Vec<Link> =
        interfaces.iter().filter_map(|interface| link(machine, interface, mtus.as_ref())).collect();
    links.sort_by_key(|link| link.index);
    let inet6 = machine.read("/proc/net/if_inet6").unwrap_or_default();
    let flags = ipv6_flags(&inet6);
    let addresses = interfaces.into_iter().filter_map(|interface| address(interface, &flags));
    NetworkState { addresses: addresses.collect(), links, routes: routes(machine) }
}

/// Returns the link of an entry that is one. `/sys` may show the interfaces of another network namespace, so that only what the
/// kernel's lists lack is read there.
fn link(machine: &Machine, interface: &InterfaceAddress, mtus: Option<&BTreeMap<u32, u32>>) -> Option<Link> {
    let address = interface.address?;
    let address = address.as_link_addr()?;
    let name = interface.interface_name.clone();
    let field = |field: &str| machine.read_line(&format!("/sys/class/net/{name}/{field}"));
    let mac = address.addr().map(|bytes| bytes.map(|byte| format!("{byte:02x}")).join(":"));
    let mac = mac.or_else(|| field("address")).filter(|mac| mac.contains(|digit| !matches!(digit, '0' | ':')));
    let index = u32::try_from(address.ifindex()).unwrap_or(0);
    let mtu = match mtus {
        Some(mtus) => mtus.get(&index).copied(),
        None => field("mtu").and_then(|mtu| mtu.parse().ok()),
    };
    Some(Link { index, mtu, mac, name })
}

fn address(interface: InterfaceAddress, flags: &BTreeMap<(Ipv6Addr, &str), u8>) -> Option<Address> {
    let (address, netmask) = (interface.address?, interface.netmask?);
    let label = interface.interface_name;
    if let (Some(ip), Some(netmask)) = (address.as_sockaddr_in(), netmask.as_sockaddr_in()) {
        let prefix = prefix_of(&netmask.ip().octets());
        return Some(Address { label, ip: IpAddr::V4(ip.ip()), prefix, flags: 0 });
    }
    let (ip, netmask) = (address.as_sockaddr_in6()?.ip(), netmask.as_sockaddr_in6()?.ip());
    let flags = flags.get(&(ip, label.as_str())).copied().unwrap_or(0);
    Some(Address { label, ip: IpAddr::V6(ip), prefix: prefix_of(&netmask.octets()), flags })
}

fn prefix_of(netmask: &[u8]) -> u8 {
    netmask.iter().map(|byte| byte.leading_ones() as u8).sum()
}

/// Returns the addresses, interfaces and flags of `/proc/net/if_inet6`.
fn ipv6_flags(text: &str) -> BTreeMap<(Ipv6Addr, &str), u8> {
    let of = |line| {
        let mut words = str::split_whitespace(line);
        let address = u128::from_str_radix(words.next()?, 16).ok()?;
        let flags = u8::from_str_radix(words.nth(3)?, 16).ok()?;
        Some(((Ipv6Addr::from(address), words.next()?), flags))
    };
    text.lines().filter_map(of).collect()
}

/// Reads the routes of the main tables. Fields are numbers in hexadecimal.
fn routes(machine: &Machine) -> Vec<Route> {
    const UP: u32 = 0x1;
    const REJECT: u32 = 0x200;
    let number = |word: &str| u32::from_str_radix(word, 16).ok();
    let v4 = machine.read("/proc/net/route").unwrap_or_default();
    let v4 = v4.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [interface, destination, _, flags, _, _, metric, mask, ..] = words.as_slice() else { return None };
        // The metric is in decimal.
        let metric = metric.parse().ok()?;
        let is_default = Ipv4Addr::from(number(destination)?).is_unspecified() && number(mask)? == 0;
        let usable = number(flags)? & (UP | REJECT) == UP;
        usable.then(|| Route { interface: (*interface).to_owned(), is_v4: true, is_default, metric })
    });
    let v6 = machine.read("/proc/net/ipv6_route").unwrap_or_default();
    let v6 = v6.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [destination, prefix, _, _, _, metric, _, _, flags, interface] = words.as_slice() else { return None };
        let is_default = u128::from_str_radix(destination, 16).ok()? == 0 && number(prefix)? == 0;
        let usable = number(flags)? & (UP | REJECT) == UP;
        usable.then(|| Route {
            interface: (*interface).to_owned(),
            is_v4: false,
            is_default,
            metric: number(metric).unwrap_or(u32::MAX),
        })
    });
    v4.chain(v6).collect()
}
