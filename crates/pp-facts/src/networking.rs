//! The facts about the network.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use pp_types::Value;

use crate::dhcp::Leases;
use crate::fact::{FactSet, Fields, strings};
use crate::host_name::HostName;
use crate::machine::Machine;
use crate::network_state::{Address, Link, NetworkState};
use crate::read_network::read_network;

/// The names of the flags of IPv6 addresses, from the lowest bit on.
const FLAGS: [&str; 8] =
    ["temporary", "noad", "optimistic", "dadfailed", "homeaddress", "deprecated", "tentative", "permanent"];

/// An interface, or a label of one, as facts show it.
#[derive(Default)]
struct Interface<'a> {
    link: Option<&'a Link>,
    v4: Vec<&'a Address>,
    v6: Vec<&'a Address>,
    dhcp: Option<String>,
}

/// Returns the address that stands for an interface: the first one that others could reach.
fn preferred<'a>(addresses: &[&'a Address]) -> Option<&'a Address> {
    addresses.iter().find(|address| !is_local(address.ip)).or(addresses.first()).copied()
}

impl Interface<'_> {
    /// Whether others could reach it.
    fn is_reachable(&self) -> bool {
        self.v4.iter().chain(&self.v6).any(|address| !is_local(address.ip))
    }

    /// Adds what describes it best: its address, netmask, network, hardware address.
    fn describe(&self, fields: &mut Fields) {
        if let Some(address) = preferred(&self.v4) {
            let (netmask, network) = mask(address);
            fields.set("ip", address.ip.to_string());
            fields.set("netmask", netmask);
            fields.set("network", network);
        }
        if let Some(address) = preferred(&self.v6) {
            let (netmask, network) = mask(address);
            fields.set("ip6", address.ip.to_string());
            fields.set("netmask6", netmask);
            fields.set("network6", network);
            fields.set("scope6", scope(address.ip));
        }
        fields.maybe("mac", self.link.and_then(|link| link.mac.as_deref()));
        fields.maybe("mtu", self.link.and_then(|link| link.mtu).map(i64::from));
        fields.maybe("dhcp", self.dhcp.as_deref());
    }

    fn value(&self) -> Option<Value> {
        let mut fields = Fields::default();
        if !self.v4.is_empty() {
            fields.set("bindings", Value::array(self.v4.iter().filter_map(|address| binding(address)).collect()));
        }
        if !self.v6.is_empty() {
            fields.set("bindings6", Value::array(self.v6.iter().filter_map(|address| binding6(address)).collect()));
        }
        self.describe(&mut fields);
        fields.finish()
    }
}

/// The facts about the network and the host name.
pub(crate) fn networking(machine: &Machine) -> FactSet {
    let read;
    let network = match &machine.network {
        Some(network) => network,
        None => {
            read = read_network(machine);
            &read
        }
    };
    let interfaces = interfaces(machine, network);
    let primary = primary(&interfaces, network);
    let mut facts = FactSet::default();
    let mut fields = Fields::default();
    let name = HostName::of(machine);
    for (key, value) in [("domain", name.domain.clone()), ("fqdn", name.fqdn()), ("hostname", Some(name.host.clone()))]
    {
        facts.legacy(key, value.as_deref().map(Value::from));
        fields.maybe(key, value);
    }
    let mut all = Fields::default();
    let mut servers = Fields::default();
    for (name, interface) in &interfaces {
        all.maybe(name, interface.value());
        legacy(&mut facts, &format!("_{name}"), interface);
        servers.maybe(name, interface.dhcp.as_deref());
    }
    if !interfaces.is_empty() {
        fields.maybe("interfaces", all.finish());
        let names: Vec<&str> = interfaces.iter().map(|(name, _)| name.as_str()).collect();
        facts.legacy("interfaces", Value::from(names.join(",")));
    }
    if let Some((name, interface)) = primary.and_then(|name| interfaces.iter().find(|(known, _)| *known == name)) {
        fields.set("primary", &**name);
        interface.describe(&mut fields);
        legacy(&mut facts, "", interface);
        servers.maybe("system", interface.dhcp.as_deref());
    }
    facts.legacy("dhcp_servers", servers.finish());
    facts.set("networking", fields.finish());
    facts
}

/// Groups the addresses by the names of their interfaces, in the order of names.
fn interfaces<'a>(machine: &Machine, network: &'a NetworkState) -> Vec<(String, Interface<'a>)> {
    let mut interfaces: BTreeMap<&str, Interface<'a>> = BTreeMap::new();
    let leases = Leases::read(machine);
    for link in &network.links {
        let dhcp = leases.server(machine, &link.name, link.index);
        interfaces.insert(&link.name, Interface { link: Some(link), dhcp, ..Interface::default() });
    }
    for address in &network.addresses {
        let interface = interfaces.entry(&address.label).or_default();
        match address.ip {
            IpAddr::V4(_) => interface.v4.push(address),
            IpAddr::V6(_) => interface.v6.push(address),
        }
    }
    interfaces.into_iter().map(|(name, interface)| (name.to_owned(), interface)).collect()
}

/// Returns the interface of the best default route, or the first one that others could reach.
fn primary(interfaces: &[(String, Interface<'_>)], network: &NetworkState) -> Option<String> {
    let default = |is_v4| {
        let routes = network.routes.iter().filter(|route| route.is_default && route.is_v4 == is_v4);
        routes.filter(|route| route.interface != "lo").min_by_key(|route| route.metric)
    };
    if let Some(route) = default(true).or_else(|| default(false)) {
        return Some(route.interface.clone());
    }
    // In the order of the kernel, where the oldest interface is the first.
    let reachable: BTreeSet<&str> =
        interfaces.iter().filter(|(_, interface)| interface.is_reachable()).map(|(name, _)| name.as_str()).collect();
    let labels = network.addresses.iter().map(|address| address.label.as_str());
    let links = network.links.iter().map(|link| link.name.as_str());
    links.chain(labels).find(|name| reachable.contains(name)).map(str::to_owned)
}

fn legacy(facts: &mut FactSet, suffix: &str, interface: &Interface<'_>) {
    let mut text = |name: &str, value: String| facts.legacy(&format!("{name}{suffix}"), Value::from(value));
    if let Some(address) = preferred(&interface.v4) {
        let (netmask, network) = mask(address);
        text("ipaddress", address.ip.to_string());
        text("netmask", netmask);
        text("network", network);
    }
    if let Some(address) = preferred(&interface.v6) {
        let (netmask, network) = mask(address);
        text("ipaddress6", address.ip.to_string());
        text("netmask6", netmask);
        text("network6", network);
        text("scope6", scope(address.ip).to_owned());
    }
    if let Some(link) = interface.link {
        if let Some(mac) = &link.mac {
            text("macaddress", mac.clone());
        }
        if let Some(mtu) = link.mtu.filter(|_| !suffix.is_empty()) {
            facts.legacy(&format!("mtu{suffix}"), Value::Integer(i64::from(mtu)));
        }
    }
}

/// Whether an address is not one that others reach a host by.
fn is_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unicast_link_local() || ip.is_unique_local(),
    }
}

/// Returns the netmask and the network of an address.
fn mask(address: &Address) -> (String, String) {
    let shifted = |bits: u32| u128::MAX.checked_shl(bits).unwrap_or(0);
    match address.ip {
        IpAddr::V4(ip) => {
            let mask = (shifted(32_u32.saturating_sub(u32::from(address.prefix))) & u128::from(u32::MAX)) as u32;
            (Ipv4Addr::from(mask).to_string(), Ipv4Addr::from(u32::from(ip) & mask).to_string())
        }
        IpAddr::V6(ip) => {
            let mask = shifted(128_u32.saturating_sub(u32::from(address.prefix)));
            (Ipv6Addr::from(mask).to_string(), Ipv6Addr::from(u128::from(ip) & mask).to_string())
        }
    }
}

fn scope(ip: IpAddr) -> &'static str {
    match ip {
        IpAddr::V6(ip) if ip.is_loopback() => "host",
        IpAddr::V6(ip) if ip.is_unicast_link_local() => "link",
        IpAddr::V6(ip) if ip.segments()[0] & 0xffc0 == 0xfec0 => "site",
        IpAddr::V6(_) | IpAddr::V4(_) => "global",
    }
}

fn binding(address: &Address) -> Option<Value> {
    let (netmask, network) = mask(address);
    let mut fields = Fields::default();
    fields.set("address", address.ip.to_string());
    fields.set("netmask", netmask);
    fields.set("network", network);
    fields.finish()
}

fn binding6(address: &Address) -> Option<Value> {
    let (netmask, network) = mask(address);
    let mut fields = Fields::default();
    fields.set("address", address.ip.to_string());
    fields.set("netmask", netmask);
    fields.set("network", network);
    fields.set("scope6", scope(address.ip));
    let flags = FLAGS.iter().enumerate().filter(|(bit, _)| address.flags & (1 << bit) != 0);
    fields.set("flags", strings(flags.map(|(_, name)| *name)));
    fields.finish()
}
