//! Addresses of network interfaces.

use std::fmt;
use std::net::IpAddr;

/// An IP address and the length of its network prefix in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address(pub(super) IpAddr, pub(super) u8);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}
