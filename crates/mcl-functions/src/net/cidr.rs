//! IP addresses with a prefix length.

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
pub(super) fn first(text: &str) -> Result<String, String> {
    let cidr = parse_prefix(text)?;
    let next = bits(cidr.address).checked_add(1).filter(|next| *next <= full(cidr.address));
    match next.map(|next| cidr.with_bits(next)).filter(|next| cidr.contains(*next)) {
        Some(next) => Ok(next.to_string()),
        None => Err("no usable next address".to_owned()),
    }
}

/// Returns the last address of the network.
pub(super) fn last(text: &str) -> Result<String, String> {
    parse_prefix(text).map(|cidr| cidr.last().to_string())
}

/// Parses a prefix with the errors of Go's `netip.ParsePrefix`.
fn parse_prefix(text: &str) -> Result<Cidr, String> {
    let failure = |cause: String| format!("netip.ParsePrefix({}): {cause}", quote(text.as_bytes()));
    let Some((address_text, prefix)) = text.rsplit_once('/') else { return Err(failure("no '/'".to_owned())) };
    let address: IpAddr = address_text.parse().map_err(|_| failure(address_error(address_text)))?;
    let plain = prefix.bytes().all(|b| b.is_ascii_digit()) && !(prefix.len() > 1 && prefix.starts_with('0'));
    if prefix.is_empty() || !plain {
        return Err(failure(format!("bad bits after slash: {}", quote(prefix.as_bytes()))));
    }
    match prefix.parse().ok().filter(|prefix| *prefix <= width(address)) {
        Some(prefix) => Ok(Cidr { address, prefix }),
        None => Err(failure("prefix length out of range".to_owned())),
    }
}

/// Returns Go's message for an invalid address.
fn address_error(text: &str) -> String {
    let failure = |cause: &str| format!("ParseAddr({}): {cause}", quote(text.as_bytes()));
    if text.contains(':') {
        return failure("unable to parse IP");
    }
    if !text.contains('.') {
        return failure("unable to parse IP");
    }
    let fields: Vec<&str> = text.split('.').collect();
    for field in &fields {
        if let Some((at, _)) = field.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
            let offset = field.as_ptr() as usize - text.as_ptr() as usize + at;
            return failure(&format!("unexpected character (at {})", quote(&text.as_bytes()[offset..])));
        }
        if field.is_empty() {
            return failure("IPv4 field must have at least one digit");
        }
        if field.len() > 1 && field.starts_with('0') {
            return failure("IPv4 field has octet with leading zero");
        }
        if field.parse::<u8>().is_err() {
            return failure("IPv4 field has value >255");
        }
    }
    failure(if fields.len() < 4 { "IPv4 address too short" } else { "IPv4 address too long" })
}
