//! Interfaces, addresses and routes of the kernel (rtnetlink), as far as `net` needs them. `netlink-packet-route` knows the
//! messages; this file sends requests and collects the answers to them.

use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use netlink_packet_core::{
    DecodeError, NLM_F_ACK, NLM_F_CREATE, NLM_F_DUMP, NLM_F_DUMP_INTR, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST,
    NLMSG_ALIGNTO, NetlinkDeserializable, NetlinkHeader, NetlinkMessage, NetlinkPayload, Parseable,
};
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkHeader, LinkMessage};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily as SocketFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::net::{bind, recv, send, socket_with};

use crate::providers::net::address::Address;

/// The multicast groups of links, of addresses of both families, and of routes of both (`RTMGRP_*` in linux/rtnetlink.h).
const CHANGE_GROUPS: u32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;
/// How long the kernel may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The size of the receive buffer, in bytes: more than the kernel puts into one datagram.
const BUFFER_SIZE: usize = 64 * 1024;

/// A connection to the kernel.
pub(super) struct Netlink {
    socket: OwnedFd,
    sequence: u32,
}

/// The state of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interface {
    pub(super) index: u32,
    pub(super) up: bool,
}

/// A default route over an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DefaultRoute {
    pub(super) gateway: IpAddr,
    priority: Option<u32>,
}

/// Opens a socket that becomes readable when a link, an address or a route changes.
pub(super) fn subscribe_changes() -> io::Result<OwnedFd> {
    open(CHANGE_GROUPS, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)
}

/// Discards all pending changes, and returns whether there were any. Changes that the kernel dropped count.
pub(super) fn drain_changes(socket: &OwnedFd) -> io::Result<bool> {
    let mut buffer = [0_u8; 16 * 1024];
    let mut any = false;
    loop {
        match recv(socket, &mut buffer[..], RecvFlags::empty()) {
            Ok((0, _)) | Err(Errno::AGAIN) => return Ok(any),
            Ok(_) | Err(Errno::NOBUFS) => any = true,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn open(groups: u32, flags: SocketFlags) -> io::Result<OwnedFd> {
    // Protocol 0 of this family is NETLINK_ROUTE.
    let socket = socket_with(SocketFamily::NETLINK, SocketType::RAW, flags, None)?;
    bind(&socket, &SocketAddrNetlink::new(0, groups))?;
    Ok(socket)
}

impl Netlink {
    pub(super) fn new() -> io::Result<Netlink> {
        let socket = open(0, SocketFlags::CLOEXEC)?;
        set_socket_timeout(&socket, Timeout::Recv, Some(ANSWER_TIMEOUT))?;
        Ok(Netlink { socket, sequence: 0 })
    }

    /// Returns the interface with a name, if there is one.
    pub(super) fn interface(&mut self, name: &str) -> io::Result<Option<Interface>> {
        let mut link = LinkMessage::default();
        link.attributes.push(LinkAttribute::IfName(name.to_owned()));
        // The acknowledgement follows the answer, and ends it as the end of a list does.
        match self.call(RouteNetlinkMessage::GetLink(link), NLM_F_ACK) {
            Ok(answers) => Ok(answers.iter().find_map(Answer::interface)),
            Err(error) if error.raw_os_error() == Some(Errno::NODEV.raw_os_error()) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn set_up(&mut self, index: u32, up: bool) -> io::Result<()> {
        let mut link = LinkMessage::default();
        link.header.index = index;
        link.header.flags = if up { LinkFlags::Up } else { LinkFlags::empty() };
        link.header.change_mask = LinkFlags::Up;
        self.call(RouteNetlinkMessage::NewLink(link), NLM_F_ACK).map(drop)
    }

    /// Returns the addresses of an interface.
    pub(super) fn addresses(&mut self, index: u32) -> io::Result<Vec<Address>> {
        let answers = self.call(RouteNetlinkMessage::GetAddress(AddressMessage::default()), NLM_F_DUMP)?;
        Ok(answers.iter().filter_map(|answer| answer.address(index)).collect())
    }

    pub(super) fn add_address(&mut self, index: u32, address: Address) -> io::Result<()> {
        let message = RouteNetlinkMessage::NewAddress(address_message(index, address));
        self.call(message, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL).map(drop)
    }

    pub(super) fn delete_address(&mut self, index: u32, address: Address) -> io::Result<()> {
        self.call(RouteNetlinkMessage::DelAddress(address_message(index, address)), NLM_F_ACK).map(drop)
    }

    /// Returns the default routes of a family over an interface.
    pub(super) fn default_routes(&mut self, index: u32, is_v4: bool) -> io::Result<Vec<DefaultRoute>> {
        let mut message = RouteMessage::default();
        message.header.address_family = if is_v4 { AddressFamily::Inet } else { AddressFamily::Inet6 };
        let answers = self.call(RouteNetlinkMessage::GetRoute(message), NLM_F_DUMP)?;
        Ok(answers.iter().filter_map(|answer| answer.default_route(index)).collect())
    }

    /// Makes a gateway the default route, in place of one with the same priority.
    pub(super) fn replace_default_route(&mut self, index: u32, gateway: IpAddr) -> io::Result<()> {
        let mut message = route_message(index, gateway);
        message.header.protocol = RouteProtocol::Static;
        message.header.kind = RouteType::Unicast;
        self.call(RouteNetlinkMessage::NewRoute(message), NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE).map(drop)
    }

    pub(super) fn delete_default_route(&mut self, index: u32, route: DefaultRoute) -> io::Result<()> {
        let mut message = route_message(index, route.gateway);
        // Matches a route of any scope.
        message.header.scope = RouteScope::NoWhere;
        message.attributes.extend(route.priority.map(RouteAttribute::Priority));
        self.call(RouteNetlinkMessage::DelRoute(message), NLM_F_ACK).map(drop)
    }

    /// Sends a request, and returns the answers to it up to the acknowledgement or the end of the list, which the caller
    /// requests with `flags`.
    fn call(&mut self, request: RouteNetlinkMessage, flags: u16) -> io::Result<Vec<Answer>> {
        self.sequence = self.sequence.wrapping_add(1);
        send(&self.socket, &encode(request, flags, self.sequence), SendFlags::empty())?;
        let mut answers = Vec::new();
        let mut buffer = vec![0_u8; BUFFER_SIZE];
        loop {
            let length = match recv(&self.socket, &mut buffer[..], RecvFlags::empty()) {
                Ok((length, _)) => length,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Err(io::Error::new(io::ErrorKind::TimedOut, "the kernel does not answer")),
                Err(error) => return Err(error.into()),
            };
            let expected = |message: &NetlinkMessage<Answer>| message.header.sequence_number == self.sequence;
            for message in messages(&buffer[..length]).filter(expected) {
                if message.header.flags & NLM_F_DUMP_INTR != 0 {
                    return Err(io::Error::new(io::ErrorKind::Interrupted, "the list changed while it was read"));
                }
                match message.payload {
                    NetlinkPayload::Done(done) if done.code < 0 => {
                        return Err(io::Error::from_raw_os_error(done.code.saturating_neg()));
                    }
                    NetlinkPayload::Error(error) if error.code.is_some() => return Err(error.to_io()),
                    NetlinkPayload::Done(_) | NetlinkPayload::Error(_) => return Ok(answers),
                    NetlinkPayload::InnerMessage(answer) => answers.push(answer),
                    _ => {}
                }
            }
        }
    }
}

fn address_message(index: u32, Address(ip, prefix): Address) -> AddressMessage {
    let mut message = AddressMessage::default();
    message.header.family = family(ip);
    message.header.prefix_len = prefix;
    message.header.index = index;
    message.attributes = vec![AddressAttribute::Local(ip), AddressAttribute::Address(ip)];
    message
}

/// The default route over an interface, in the main table.
fn route_message(index: u32, gateway: IpAddr) -> RouteMessage {
    let mut message = RouteMessage::default();
    message.header.address_family = family(gateway);
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.attributes = vec![RouteAttribute::Gateway(gateway.into()), RouteAttribute::Oif(index)];
    message
}

fn family(ip: IpAddr) -> AddressFamily {
    if ip.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 }
}

fn encode(request: RouteNetlinkMessage, flags: u16, sequence: u32) -> Vec<u8> {
    let mut message = NetlinkMessage::from(request);
    message.header.flags = NLM_F_REQUEST | flags;
    message.header.sequence_number = sequence;
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    bytes
}

/// Returns the messages of one datagram, up to the first one that is cut off.
fn messages(mut datagram: &[u8]) -> impl Iterator<Item = NetlinkMessage<Answer>> {
    std::iter::from_fn(move || {
        let message = NetlinkMessage::<Answer>::deserialize(datagram).ok()?;
        let length = usize::try_from(message.header.length).ok()?;
        let aligned = length.next_multiple_of(usize::from(NLMSG_ALIGNTO));
        datagram = datagram.get(aligned..).unwrap_or_default();
        Some(message)
    })
}

/// An answer of the kernel. Only what `net` reads is decoded, so that an attribute of a newer kernel cannot make an answer
/// unreadable: of links, which have the most attributes by far, just the header.
#[derive(Clone, Debug)]
enum Answer {
    Link(LinkHeader),
    Address(AddressMessage),
    Route(RouteMessage),
    /// Of another type, or not understood.
    Other,
}

impl NetlinkDeserializable for Answer {
    type Error = DecodeError;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Answer, DecodeError> {
        // The numbers of `RTM_NEWLINK`, `RTM_NEWADDR` and `RTM_NEWROUTE` in linux/rtnetlink.h.
        let answer = match header.message_type {
            16 => LinkHeader::parse(payload).map(Answer::Link),
            20 => AddressMessage::parse(payload).map(Answer::Address),
            24 => RouteMessage::parse(payload).map(Answer::Route),
            _ => Ok(Answer::Other),
        };
        Ok(answer.unwrap_or(Answer::Other))
    }
}

impl Answer {
    fn interface(&self) -> Option<Interface> {
        let Answer::Link(link) = self else { return None };
        Some(Interface { index: link.index, up: link.flags.contains(LinkFlags::Up) })
    }

    fn address(&self, index: u32) -> Option<Address> {
        let Answer::Address(message) = self else { return None };
        let find = |select: fn(&AddressAttribute) -> Option<IpAddr>| message.attributes.iter().find_map(select);
        let local = find(|attribute| match attribute {
            AddressAttribute::Local(ip) => Some(*ip),
            _ => None,
        });
        // On a point-to-point link it is the address of the other end.
        let address = find(|attribute| match attribute {
            AddressAttribute::Address(ip) => Some(*ip),
            _ => None,
        });
        let ip = local.or(address).filter(|_| message.header.index == index)?;
        Some(Address(ip, message.header.prefix_len))
    }

    fn default_route(&self, index: u32) -> Option<DefaultRoute> {
        let Answer::Route(message) = self else { return None };
        let header = &message.header;
        let mut table = u32::from(header.table);
        let (mut gateway, mut interface, mut priority) = (None, None, None);
        for attribute in &message.attributes {
            match attribute {
                RouteAttribute::Table(id) => table = *id,
                RouteAttribute::Gateway(RouteAddress::Inet(ip)) => gateway = Some(IpAddr::V4(*ip)),
                RouteAttribute::Gateway(RouteAddress::Inet6(ip)) => gateway = Some(IpAddr::V6(*ip)),
                RouteAttribute::Oif(index) => interface = Some(*index),
                RouteAttribute::Priority(value) => priority = Some(*value),
                _ => {}
            }
        }
        let is_default = header.destination_prefix_length == 0
            && header.kind == RouteType::Unicast
            && table == u32::from(RouteHeader::RT_TABLE_MAIN)
            && interface == Some(index);
        gateway.filter(|_| is_default).map(|gateway| DefaultRoute { gateway, priority })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(address: &str) -> Address {
        Address(address.parse().unwrap(), 24)
    }

    #[test]
    fn all_messages_of_a_datagram_are_read() {
        let request = || RouteNetlinkMessage::NewAddress(address_message(7, local("192.0.2.7")));
        let datagram = [encode(request(), 0, 9), encode(request(), 0, 10)].concat();
        let read: Vec<_> =
            messages(&datagram).map(|message| (message.header.sequence_number, message.payload)).collect();
        let [(9, NetlinkPayload::InnerMessage(_)), (10, NetlinkPayload::InnerMessage(answer))] = &read[..] else {
            panic!("{read:?}")
        };
        assert_eq!(answer.address(7).unwrap().to_string(), "192.0.2.7/24");
        assert_eq!(answer.address(8), None);
    }

    #[test]
    fn own_address_of_a_point_to_point_link_is_the_local_one() {
        let mut message = address_message(7, local("192.0.2.7"));
        message.attributes.reverse();
        message.attributes[0] = AddressAttribute::Address("192.0.2.8".parse().unwrap());
        assert_eq!(Answer::Address(message).address(7), Some(local("192.0.2.7")));
    }

    #[test]
    fn only_unicast_routes_of_the_main_table_without_destination_are_default_routes() {
        let default = || {
            let mut message = route_message(7, "192.0.2.1".parse().unwrap());
            message.header.kind = RouteType::Unicast;
            message
        };
        let found = |change: fn(&mut RouteMessage)| {
            let mut message = default();
            change(&mut message);
            Answer::Route(message).default_route(7).is_some()
        };
        assert!(found(|_| {}));
        assert!(!found(|route| route.header.kind = RouteType::BlackHole));
        assert!(!found(|route| route.header.destination_prefix_length = 8));
        assert!(!found(|route| route.attributes.push(RouteAttribute::Table(1000))));
        assert!(!found(|route| route.attributes.push(RouteAttribute::Oif(8))));
        assert!(!found(|route| drop(route.attributes.remove(0))));
    }

    #[test]
    fn links_with_unreadable_attributes_are_read() {
        let mut link = LinkMessage::default();
        (link.header.index, link.header.flags) = (7, LinkFlags::Up);
        link.attributes.push(LinkAttribute::IfName("lab0".to_owned()));
        let mut datagram = encode(RouteNetlinkMessage::NewLink(link), 0, 1);
        let end = datagram.len();
        // The length of the only attribute says more than there is.
        datagram[32] = 0xff;
        let read = messages(&datagram[..end]).next().unwrap();
        let NetlinkPayload::InnerMessage(answer) = read.payload else { panic!("{read:?}") };
        assert_eq!(answer.interface(), Some(Interface { index: 7, up: true }));
    }

    #[test]
    fn corrupted_datagrams_are_read_as_far_as_they_go() {
        let datagram = encode(RouteNetlinkMessage::NewRoute(route_message(7, "192.0.2.1".parse().unwrap())), 0, 1);
        for length in 0..datagram.len() {
            assert_eq!(messages(&datagram[..length]).count(), 0);
        }
        for i in 0..datagram.len() {
            let mut corrupted = datagram.clone();
            corrupted[i] ^= 0xff;
            for message in messages(&corrupted) {
                if let NetlinkPayload::InnerMessage(answer) = message.payload {
                    let _ = (answer.default_route(7), answer.address(7), answer.interface());
                }
            }
        }
        assert_eq!(messages(&[0; 64]).count(), 0, "a message without a length ends the datagram");
    }

    #[test]
    fn the_loopback_interface_is_there() {
        let mut netlink = Netlink::new().unwrap();
        assert_eq!(netlink.interface("nosuch0").unwrap(), None);
        if let Some(lo) = netlink.interface("lo").unwrap() {
            let loopback = Address("127.0.0.1".parse().unwrap(), 8);
            assert_eq!(netlink.addresses(lo.index).unwrap().contains(&loopback), lo.up);
            assert_eq!(netlink.default_routes(lo.index, true).unwrap(), []);
        }
    }
}
