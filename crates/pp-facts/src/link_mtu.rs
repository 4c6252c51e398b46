//! The maximum sizes of packets, from the kernel's list of links (rtnetlink). `/sys` may show the links of another network
//! namespace.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use netlink_packet_core::{
    DecodeError, NLM_F_DUMP, NLM_F_REQUEST, NLMSG_ALIGNTO, NetlinkDeserializable, NetlinkHeader, NetlinkMessage,
    NetlinkPayload, NlasIterator,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{LinkHeader, LinkMessage};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};

/// How long the kernel may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);
/// The size of the receive buffer, in bytes: more than the kernel puts into one datagram.
const BUFFER_SIZE: usize = 64 * 1024;
/// The numbers of `RTM_NEWLINK` in linux/rtnetlink.h and of `IFLA_MTU` in linux/if_link.h.
const NEW_LINK: u16 = 16;
const LINK_MTU: u16 = 4;
/// The length of the header of a link, in bytes, before its attributes.
const LINK_HEADER_LENGTH: usize = 16;

/// Returns the maximum size of a packet of each link, by its index.
///
/// # Errors
/// The kernel refuses the list, or does not answer.
pub(crate) fn link_mtus() -> io::Result<BTreeMap<u32, u32>> {
    // Protocol 0 of this family is NETLINK_ROUTE.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&socket, Timeout::Recv, Some(ANSWER_TIMEOUT))?;
    let mut request = NetlinkMessage::from(RouteNetlinkMessage::GetLink(LinkMessage::default()));
    request.header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.finalize();
    let mut bytes = vec![0; request.buffer_len()];
    request.serialize(&mut bytes);
    send(&socket, &bytes, SendFlags::empty())?;
    let mut mtus = BTreeMap::new();
    let mut buffer = vec![0_u8; BUFFER_SIZE];
    loop {
        let length = match recv(&socket, &mut buffer[..], RecvFlags::empty()) {
            Ok((length, _)) => length,
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        };
        for message in messages(&buffer[..length]) {
            match message.payload {
                NetlinkPayload::Done(_) => return Ok(mtus),
                NetlinkPayload::Error(error) => return Err(error.to_io()),
                NetlinkPayload::InnerMessage(Answer(link)) => mtus.extend(link),
                _ => {}
            }
        }
    }
}

/// Returns the messages of one datagram, up to the first one that is cut off.
fn messages(mut datagram: &[u8]) -> impl Iterator<Item = NetlinkMessage<Answer>> {
    std::iter::from_fn(move || {
        let message = NetlinkMessage::<Answer>::deserialize(datagram).ok()?;
        let length = usize::try_from(message.header.length).ok()?;
        datagram = datagram.get(length.next_multiple_of(usize::from(NLMSG_ALIGNTO))..).unwrap_or_default();
        Some(message)
    })
}

/// The index of a link, and its maximum size of a packet.
#[derive(Clone, Debug)]
struct Answer(Option<(u32, u32)>);

impl NetlinkDeserializable for Answer {
    type Error = DecodeError;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<Answer, DecodeError> {
        Ok(Answer((header.message_type == NEW_LINK).then(|| link(payload)).flatten()))
    }
}

fn link(payload: &[u8]) -> Option<(u32, u32)> {
    let index = LinkHeader::parse(payload).ok()?.index;
    let mut attributes = NlasIterator::new(payload.get(LINK_HEADER_LENGTH..)?).map_while(Result::ok);
    let mtu = attributes.find(|attribute| attribute.kind() == LINK_MTU)?;
    Some((index, u32::from_ne_bytes(mtu.value().try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_a_maximum_size_of_packets() {
        let Ok(mtus) = link_mtus() else { return test_support::skip("the kernel does not list links here") };
        let indexes: Vec<u32> =
            crate::read_network::read_network(&crate::Machine::local()).links.iter().map(|l| l.index).collect();
        assert!(!indexes.is_empty() && indexes.iter().all(|index| mtus.contains_key(index)), "{indexes:?} {mtus:?}");
    }

    #[test]
    fn corrupted_datagrams_are_read_as_far_as_they_go() {
        let mut message = NetlinkMessage::from(RouteNetlinkMessage::NewLink(LinkMessage::default()));
        message.finalize();
        let mut datagram = vec![0; message.buffer_len()];
        message.serialize(&mut datagram);
        datagram.extend([8, 0, 4, 0, 0xdc, 5, 0, 0]);
        datagram[0] += 8;
        let of = |datagram: &[u8]| {
            messages(datagram)
                .filter_map(|message| match message.payload {
                    NetlinkPayload::InnerMessage(Answer(link)) => link,
                    _ => None,
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&datagram), [(0, 1500)]);
        for at in 0..datagram.len() {
            assert_eq!(of(&datagram[..at]), []);
            let mut corrupted = datagram.clone();
            corrupted[at] ^= 0xff;
            let _ = of(&corrupted);
        }
    }
}
