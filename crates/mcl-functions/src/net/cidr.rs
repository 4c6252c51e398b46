//! IP addresses with a prefix length.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use go_compat::strconv::quote;

/// `address/prefix`.
pub(super) struct Cidr {
    pub(super) address: IpAddr,
    pub(super) prefix: u32,
}

impl Cidr {
    pub(super) fn parse(text: &str) -> Option<Cidr> {
        let (address, prefix) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let digits = !prefix.is_empty() && prefix.bytes().all(|b| b.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|prefix| digits && *prefix <= width(address))?;
        Some(Cidr { address, prefix })
    }

    pub(super) fn mask(&self) -> IpAddr {
        self.with_bits(mask_bits(self.address, self.prefix))
    }

    pub(super) fn network(&self) -> IpAddr {
        self.with_bits(bits(self.address) & mask_bits(self.address, self.prefix))
    }

    fn last(&self) -> IpAddr {
        let hosts = !mask_bits(self.address, self.prefix) & full(self.address);
        self.with_bits(bits(self.address) | hosts)
    }

    /// Returns whether an address belongs to the network. IPv4-mapped IPv6 addresses count as IPv4.
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let (network, address) = (self.network().to_canonical(), address.to_canonical());
        // An IPv4-mapped network has a prefix that is 96 bits longer.
        let prefix = self.prefix.saturating_sub(width(self.address) - width(network));
        let mask = mask_bits(network, prefix);
        network.is_ipv4() == address.is_ipv4() && bits(address) & mask == bits(network) & mask
    }

    #[allow(clippy::cast_possible_truncation)]
    fn with_bits(&self, bits: u128) -> IpAddr {
        match self.address {
            IpAddr::V4(_) => Ipv4Addr::from_bits(bits as u32).into(),
            IpAddr::V6(_) => Ipv6Addr::from_bits(bits).into(),
        }
    }
}

pub(super) fn parse_address(text: &str) -> Option<IpAddr> {
    text.parse().ok()
}

fn width(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn full(address: IpAddr) -> u128 {
    if address.is_ipv4() { u32::MAX.into() } else { u128::MAX }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_bits().into(),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

fn mask_bits(address: IpAddr, prefix: u32) -> u128 {
    let full = full(address);
    full & !full.checked_shr(prefix).unwrap_or(0)
}

/// Returns the address after the given one. As in mgmt, the given one is not masked first.
pub(super) fn first(text: &str) -> Result<String, CidrError> {
    let cidr = parse_prefix(text)?;
    let next = bits(cidr.address).checked_add(1).filter(|next| *next <= full(cidr.address));
    let next = next.map(|next| cidr.with_bits(next)).filter(|next| cidr.contains(*next));
    next.map(|next| next.to_string()).ok_or(CidrError::NoNextAddress)
}

/// Returns the last address of the network.
pub(super) fn last(text: &str) -> Result<String, CidrError> {
    parse_prefix(text).map(|cidr| cidr.last().to_string())
}

/// Why the first or last address of a network cannot be computed. The messages are those of Go's `netip`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CidrError {
    NoNextAddress,
    Prefix { text: String, cause: PrefixErrorCause },
}

/// Why a text is not `address/prefix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PrefixErrorCause {
    NoSlash,
    Address { text: String, cause: AddressErrorCause },
    Bits(String),
    LengthOutOfRange,
}

/// Why a text is not an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AddressErrorCause {
    NotAnAddress,
    UnexpectedCharacter { rest: String },
    EmptyField,
    LeadingZero,
    FieldTooLarge,
    TooShort,
    TooLong,
}

impl fmt::Display for CidrError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CidrError::NoNextAddress => f.write_str("no usable next address"),
            CidrError::Prefix { text, cause } => {
                write!(f, "netip.ParsePrefix({}): {cause}", quote(text.as_bytes()))
            }
        }
    }
}

impl std::error::Error for CidrError {}

impl fmt::Display for PrefixErrorCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PrefixErrorCause::NoSlash => f.write_str("no '/'"),
            PrefixErrorCause::Address { text, cause } => write!(f, "ParseAddr({}): {cause}", quote(text.as_bytes())),
            PrefixErrorCause::Bits(bits) => write!(f, "bad bits after slash: {}", quote(bits.as_bytes())),
            PrefixErrorCause::LengthOutOfRange => f.write_str("prefix length out of range"),
        }
    }
}

impl fmt::Display for AddressErrorCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressErrorCause::NotAnAddress => "unable to parse IP",
            AddressErrorCause::UnexpectedCharacter { rest } => {
                return write!(f, "unexpected character (at {})", quote(rest.as_bytes()));
            }
            AddressErrorCause::EmptyField => "IPv4 field must have at least one digit",
            AddressErrorCause::LeadingZero => "IPv4 field has octet with leading zero",
            AddressErrorCause::FieldTooLarge => "IPv4 field has value >255",
            AddressErrorCause::TooShort => "IPv4 address too short",
            AddressErrorCause::TooLong => "IPv4 address too long",
        })
    }
}

/// Parses a prefix as Go's `netip.ParsePrefix` does.
fn parse_prefix(text: &str) -> Result<Cidr, CidrError> {
    let failure = |cause| CidrError::Prefix { text: text.to_owned(), cause };
    let Some((address, prefix)) = text.rsplit_once('/') else { return Err(failure(PrefixErrorCause::NoSlash)) };
    let invalid = || PrefixErrorCause::Address { text: address.to_owned(), cause: address_error(address) };
    let address: IpAddr = address.parse().map_err(|_| failure(invalid()))?;
    let plain = prefix.bytes().all(|b| b.is_ascii_digit()) && !(prefix.len() > 1 && prefix.starts_with('0'));
    if prefix.is_empty() || !plain {
        return Err(failure(PrefixErrorCause::Bits(prefix.to_owned())));
    }
    match prefix.parse().ok().filter(|prefix| *prefix <= width(address)) {
        Some(prefix) => Ok(Cidr { address, prefix }),
        None => Err(failure(PrefixErrorCause::LengthOutOfRange)),
    }
}

/// Returns the violation that Go reports for an invalid address.
fn address_error(text: &str) -> AddressErrorCause {
    if text.contains(':') || !text.contains('.') {
        return AddressErrorCause::NotAnAddress;
    }
    let fields: Vec<&str> = text.split('.').collect();
    for field in &fields {
        if let Some((at, _)) = field.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
            let offset = field.as_ptr() as usize - text.as_ptr() as usize + at;
            return AddressErrorCause::UnexpectedCharacter { rest: text[offset..].to_owned() };
        }
        if field.is_empty() {
            return AddressErrorCause::EmptyField;
        }
        if field.len() > 1 && field.starts_with('0') {
            return AddressErrorCause::LeadingZero;
        }
        if field.parse::<u8>().is_err() {
            return AddressErrorCause::FieldTooLarge;
        }
    }
    if fields.len() < 4 { AddressErrorCause::TooShort } else { AddressErrorCause::TooLong }
}
