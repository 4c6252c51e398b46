//! The kernel's own interface to network interfaces, addresses and routes (rtnetlink), as far as `net` needs it.
//!
//! A message is a header, a fixed part that depends on its type, and attributes: numbers in the machine's byte order,
//! each attribute with its length in front and padded to four bytes.

use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, recv, send, socket_with};

use crate::providers::net::Address;

/// Types of messages.
const ERROR: u16 = 2;
const DONE: u16 = 3;
const NEW_LINK: u16 = 16;
const GET_LINK: u16 = 18;
const NEW_ADDRESS: u16 = 20;
const DELETE_ADDRESS: u16 = 21;
const GET_ADDRESS: u16 = 22;
const NEW_ROUTE: u16 = 24;
const DELETE_ROUTE: u16 = 25;
const GET_ROUTE: u16 = 26;
/// Flags of messages.
const REQUEST: u16 = 1;
const ACKNOWLEDGE: u16 = 4;
const ALL: u16 = 0x300;
const REPLACE: u16 = 0x100;
const EXCLUSIVE: u16 = 0x200;
const CREATE: u16 = 0x400;
/// Attributes.
const LINK_NAME: u16 = 3;
const ADDRESS: u16 = 1;
const LOCAL: u16 = 2;
const ROUTE_OUT: u16 = 4;
const ROUTE_GATEWAY: u16 = 5;
const ROUTE_PRIORITY: u16 = 6;
const ROUTE_TABLE: u16 = 15;
/// What else the fixed parts hold.
const LINK_UP: u32 = 1;
const INET: u8 = 2;
const INET6: u8 = 10;
const MAIN_TABLE: u8 = 254;
const PROTOCOL_STATIC: u8 = 4;
const SCOPE_NOWHERE: u8 = 255;
const UNICAST: u8 = 1;
/// Groups of announcements: links, addresses of both families, routes of both.
const ANNOUNCEMENTS: u32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;

const HEADER: usize = 16;
const LINK: usize = 16;
const ADDRESS_PART: usize = 8;
const ROUTE_PART: usize = 12;

/// How long the kernel may take to answer.
const ANSWER: Duration = Duration::from_secs(10);

/// A connection to the kernel.
pub(super) struct Netlink {
    socket: OwnedFd,
    sequence: u32,
}

/// What the kernel says of an interface.
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

/// A socket that becomes readable when anything changes.
pub(super) fn announcements() -> io::Result<OwnedFd> {
    open(ANNOUNCEMENTS, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)
}

/// Takes all announcements; whether there were any. Those that were lost count.
pub(super) fn take_announcements(socket: &OwnedFd) -> io::Result<bool> {
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
    // Without a protocol it is the one for routes.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    bind(&socket, &SocketAddrNetlink::new(0, groups))?;
    Ok(socket)
}

impl Netlink {
    pub(super) fn new() -> io::Result<Netlink> {
        let socket = open(0, SocketFlags::CLOEXEC)?;
        set_socket_timeout(&socket, Timeout::Recv, Some(ANSWER))?;
        Ok(Netlink { socket, sequence: 0 })
    }

    /// The interface of that name, if there is one.
    pub(super) fn interface(&mut self, name: &str) -> io::Result<Option<Interface>> {
        let mut request = Request::new(GET_LINK, 0, &[0; LINK]);
        request.attribute(LINK_NAME, &[name.as_bytes(), b"\0"].concat());
        match self.call(request) {
            Ok(answers) => Ok(answers.iter().find_map(Message::interface)),
            Err(error) if error.raw_os_error() == Some(Errno::NODEV.raw_os_error()) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn set_up(&mut self, index: u32, up: bool) -> io::Result<()> {
        let mut part = [0; LINK];
        part[4..8].copy_from_slice(&index.to_ne_bytes());
        part[8..12].copy_from_slice(&(if up { LINK_UP } else { 0 }).to_ne_bytes());
        // Which of the flags are meant.
        part[12..16].copy_from_slice(&LINK_UP.to_ne_bytes());
        self.call(Request::new(NEW_LINK, ACKNOWLEDGE, &part)).map(drop)
    }

    /// The addresses of an interface.
    pub(super) fn addresses(&mut self, index: u32) -> io::Result<Vec<Address>> {
        let answers = self.call(Request::new(GET_ADDRESS, ALL, &[0; ADDRESS_PART]))?;
        Ok(answers.iter().filter_map(|answer| answer.address(index)).collect())
    }

    pub(super) fn add_address(&mut self, index: u32, address: Address) -> io::Result<()> {
        self.change_address(NEW_ADDRESS, CREATE | EXCLUSIVE, index, address)
    }

    pub(super) fn delete_address(&mut self, index: u32, address: Address) -> io::Result<()> {
        self.change_address(DELETE_ADDRESS, 0, index, address)
    }

    fn change_address(&mut self, kind: u16, flags: u16, index: u32, Address(ip, prefix): Address) -> io::Result<()> {
        let mut part = [0; ADDRESS_PART];
        part[0] = family(ip);
        part[1] = prefix;
        part[4..8].copy_from_slice(&index.to_ne_bytes());
        let mut request = Request::new(kind, ACKNOWLEDGE | flags, &part);
        request.attribute(LOCAL, &octets(ip));
        request.attribute(ADDRESS, &octets(ip));
        self.call(request).map(drop)
    }

    /// The default routes of a family over an interface.
    pub(super) fn default_routes(&mut self, index: u32, is_v4: bool) -> io::Result<Vec<DefaultRoute>> {
        let mut part = [0; ROUTE_PART];
        part[0] = if is_v4 { INET } else { INET6 };
        let answers = self.call(Request::new(GET_ROUTE, ALL, &part))?;
        Ok(answers.iter().filter_map(|answer| answer.default_route(index)).collect())
    }

    /// Makes it the default route, in place of one with the same priority.
    pub(super) fn replace_default_route(&mut self, index: u32, gateway: IpAddr) -> io::Result<()> {
        let mut part = route_part(gateway);
        (part[5], part[7]) = (PROTOCOL_STATIC, UNICAST);
        let mut request = Request::new(NEW_ROUTE, ACKNOWLEDGE | CREATE | REPLACE, &part);
        request.attribute(ROUTE_GATEWAY, &octets(gateway));
        request.attribute(ROUTE_OUT, &index.to_ne_bytes());
        self.call(request).map(drop)
    }

    pub(super) fn delete_default_route(&mut self, index: u32, route: DefaultRoute) -> io::Result<()> {
        let mut part = route_part(route.gateway);
        // Whatever its scope is.
        part[6] = SCOPE_NOWHERE;
        let mut request = Request::new(DELETE_ROUTE, ACKNOWLEDGE, &part);
        request.attribute(ROUTE_GATEWAY, &octets(route.gateway));
        request.attribute(ROUTE_OUT, &index.to_ne_bytes());
        if let Some(priority) = route.priority {
            request.attribute(ROUTE_PRIORITY, &priority.to_ne_bytes());
        }
        self.call(request).map(drop)
    }

    /// Sends a request and collects the answers to it.
    fn call(&mut self, request: Request) -> io::Result<Vec<Message>> {
        self.sequence += 1;
        let is_list = request.flags & ALL == ALL;
        let wants_acknowledgement = request.flags & ACKNOWLEDGE != 0;
        let bytes = request.finish(self.sequence);
        send(&self.socket, &bytes, SendFlags::empty())?;
        let mut answers = Vec::new();
        let mut buffer = vec![0_u8; 64 * 1024];
        loop {
            let length = match recv(&self.socket, &mut buffer[..], RecvFlags::empty()) {
                Ok((length, _)) => length,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Err(io::Error::new(io::ErrorKind::TimedOut, "the kernel does not answer")),
                Err(error) => return Err(error.into()),
            };
            for message in messages(&buffer[..length]).filter(|message| message.sequence == self.sequence) {
                match message.kind {
                    DONE => return Ok(answers),
                    ERROR => {
                        return match message.number(0).map(|code| code.cast_signed()) {
                            Some(0) => Ok(answers),
                            Some(code) => Err(io::Error::from_raw_os_error(code.saturating_neg())),
                            None => Err(io::ErrorKind::InvalidData.into()),
                        };
                    }
                    _ => answers.push(message),
                }
            }
            if !is_list && !wants_acknowledgement && !answers.is_empty() {
                return Ok(answers);
            }
        }
    }
}

fn route_part(gateway: IpAddr) -> [u8; ROUTE_PART] {
    let mut part = [0; ROUTE_PART];
    part[0] = family(gateway);
    part[4] = MAIN_TABLE;
    part
}

fn octets(ip: IpAddr) -> Vec<u8> {
    match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    }
}

fn family(ip: IpAddr) -> u8 {
    if ip.is_ipv4() { INET } else { INET6 }
}

fn ip(octets: &[u8]) -> Option<IpAddr> {
    match octets.len() {
        4 => <[u8; 4]>::try_from(octets).ok().map(IpAddr::from),
        16 => <[u8; 16]>::try_from(octets).ok().map(IpAddr::from),
        _ => None,
    }
}

/// A message on its way to the kernel.
struct Request {
    flags: u16,
    bytes: Vec<u8>,
}

impl Request {
    fn new(kind: u16, flags: u16, part: &[u8]) -> Request {
        let flags = flags | REQUEST;
        let mut bytes = vec![0; HEADER];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        bytes.extend_from_slice(part);
        Request { flags, bytes }
    }

    fn attribute(&mut self, kind: u16, value: &[u8]) {
        // Names and addresses: far below the limit.
        let length = u16::try_from(value.len() + 4).unwrap_or(u16::MAX);
        self.bytes.extend_from_slice(&length.to_ne_bytes());
        self.bytes.extend_from_slice(&kind.to_ne_bytes());
        self.bytes.extend_from_slice(value);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn finish(mut self, sequence: u32) -> Vec<u8> {
        let length = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        self.bytes[..4].copy_from_slice(&length.to_ne_bytes());
        self.bytes[8..12].copy_from_slice(&sequence.to_ne_bytes());
        self.bytes
    }
}

/// A message of the kernel.
#[derive(Debug)]
struct Message {
    kind: u16,
    sequence: u32,
    /// The fixed part and the attributes.
    body: Vec<u8>,
}

/// The messages of one packet; what is cut off is left out.
fn messages(mut packet: &[u8]) -> impl Iterator<Item = Message> + '_ {
    std::iter::from_fn(move || {
        let length = usize::try_from(number(packet, 0)?).ok()?;
        let body = packet.get(HEADER..length)?.to_vec();
        let message = Message { kind: short(packet, 4)?, sequence: number(packet, 8)?, body };
        packet = packet.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(message)
    })
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl Message {
    fn number(&self, at: usize) -> Option<u32> {
        number(&self.body, at)
    }

    /// An attribute behind a fixed part of that size.
    fn attribute(&self, part: usize, wanted: u16) -> Option<&[u8]> {
        let mut rest = self.body.get(part..)?;
        loop {
            let length = usize::from(short(rest, 0)?);
            let value = rest.get(4..length)?;
            // The two highest bits are flags.
            if short(rest, 2)? & 0x3fff == wanted {
                return Some(value);
            }
            rest = rest.get(length.next_multiple_of(4)..)?;
        }
    }

    fn interface(&self) -> Option<Interface> {
        let is_link = self.kind == NEW_LINK;
        is_link.then_some(Interface { index: self.number(4)?, up: self.number(8)? & LINK_UP != 0 })
    }

    fn address(&self, index: u32) -> Option<Address> {
        if self.kind != NEW_ADDRESS || self.number(4)? != index {
            return None;
        }
        // The other end of a point-to-point link is an address too; ours is the local one.
        let local = self.attribute(ADDRESS_PART, LOCAL).or_else(|| self.attribute(ADDRESS_PART, ADDRESS))?;
        Some(Address(ip(local)?, *self.body.get(1)?))
    }

    fn default_route(&self, index: u32) -> Option<DefaultRoute> {
        let own = |kind| self.attribute(ROUTE_PART, kind);
        let table = own(ROUTE_TABLE).and_then(|value| number(value, 0)).or(self.body.get(4).map(|t| u32::from(*t)))?;
        let is_default = self.kind == NEW_ROUTE
            && self.body.get(1) == Some(&0)
            && self.body.get(7) == Some(&UNICAST)
            && table == u32::from(MAIN_TABLE)
            && number(own(ROUTE_OUT)?, 0) == Some(index);
        let priority = own(ROUTE_PRIORITY).and_then(|value| number(value, 0));
        is_default.then_some(DefaultRoute { gateway: ip(own(ROUTE_GATEWAY)?)?, priority })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let mut part = [0; ADDRESS_PART];
        part[1] = 24;
        part[4..8].copy_from_slice(&7_u32.to_ne_bytes());
        let mut request = Request::new(NEW_ADDRESS, 0, &part);
        request.attribute(LINK_NAME, b"odd");
        request.attribute(LOCAL, &[192, 0, 2, 7]);
        let mut packet = request.finish(9);
        packet.extend(packet.clone());
        let read: Vec<Message> = messages(&packet).collect();
        assert_eq!(read.len(), 2);
        assert_eq!((read[1].kind, read[1].sequence), (NEW_ADDRESS, 9));
        assert_eq!(read[1].address(7).unwrap().to_string(), "192.0.2.7/24");
        assert_eq!(read[1].address(8), None);
    }

    #[test]
    fn corrupted_packets_are_read_as_far_as_they_go() {
        let mut request = Request::new(NEW_ROUTE, 0, &[0; ROUTE_PART]);
        request.attribute(ROUTE_OUT, &7_u32.to_ne_bytes());
        let packet = request.finish(1);
        for length in 0..packet.len() {
            assert_eq!(messages(&packet[..length]).count(), 0);
        }
        for i in 0..packet.len() {
            let mut corrupted = packet.clone();
            corrupted[i] ^= 0xff;
            for message in messages(&corrupted) {
                let _ = (message.default_route(7), message.address(7), message.interface());
            }
        }
        assert_eq!(messages(&[0; 64]).count(), 0, "a message without a length ends the packet");
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
