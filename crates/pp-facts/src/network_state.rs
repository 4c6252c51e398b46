//! Interfaces, addresses and routes, as the kernel lists them.

use std::net::IpAddr;

/// The network of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkState {
    /// The interfaces, in the order of the kernel.
    pub links: Vec<Link>,
    /// The addresses, in the order of the kernel.
    pub addresses: Vec<Address>,
    /// The routes of both families.
    pub routes: Vec<Route>,
}

/// An interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The name.
    pub name: String,
    /// The number.
    pub index: u32,
    /// The hardware address, if it has one that is not zero.
    pub mac: Option<String>,
    /// Maximum size of a packet, in bytes.
    pub mtu: Option<u32>,
}

/// An address of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The interface, or its name with the label of the address: `eth0:1`.
    pub label: String,
    /// The address.
    pub ip: IpAddr,
    /// The length of the prefix, in bits.
    pub prefix: u8,
    /// Flags of an IPv6 address (`IFA_F_*`), in one byte.
    pub flags: u8,
}

/// A route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The interface.
    pub interface: String,
    /// Whether it is one of IPv4.
    pub is_v4: bool,
    /// Whether it is for every destination.
    pub is_default: bool,
    /// Its priority; the smallest wins.
    pub metric: u32,
}
