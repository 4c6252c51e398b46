//! The formats of parameters that several kinds share: account names, addresses, durations, URLs. Pure parsing, without
//! access to the host.

use std::net::{IpAddr, Ipv4Addr};

/// Returns whether a user or group may have this name (spec 05 §5.2).
pub(crate) fn is_account_name(name: &str) -> bool {
    let mut chars = name.chars();
    name.len() <= 31
        && chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Parses an address with a prefix length, such as `192.0.2.7/24`.
pub(crate) fn cidr(text: &str) -> Option<(IpAddr, u8)> {
    let (address, prefix) = text.split_once('/')?;
    let address: IpAddr = address.parse().ok()?;
    let max = if address.is_ipv4() { 32 } else { 128 };
    let plain = prefix.bytes().all(|b| b.is_ascii_digit());
    let prefix: u8 = prefix.parse().ok().filter(|p| plain && *p <= max)?;
    Some((address, prefix))
}

/// Parses a contiguous IPv4 mask that is not all zero, such as `/24` or `255.255.255.0`. Returns the prefix length.
pub(crate) fn ipv4_mask(text: &str) -> Option<u8> {
    if let Some(prefix) = text.strip_prefix('/') {
        return prefix.parse().ok().filter(|p| *p <= 32);
    }
    let mask = u32::from(text.parse::<Ipv4Addr>().ok()?);
    (mask != 0 && mask.leading_ones() + mask.trailing_zeros() == 32).then(|| mask.leading_ones() as u8)
}

/// Returns whether this is a hardware address in canonical form: pairs of lowercase hexadecimal digits between colons.
pub(crate) fn is_canonical_mac(text: &str) -> bool {
    let mut octets = 0;
    let well_formed = text.split(':').all(|octet| {
        octets += 1;
        octet.len() == 2 && octet.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    });
    well_formed && matches!(octets, 6 | 8 | 20)
}

/// Why a string is not an address to listen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListenAddressError {
    MissingPort,
    UnclosedBracket,
    MissingBrackets,
    InvalidHost,
}

impl std::fmt::Display for ListenAddressError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ListenAddressError::MissingPort => "missing port",
            ListenAddressError::UnclosedBracket => "unclosed `[`",
            ListenAddressError::MissingBrackets => "missing brackets around an IPv6 address",
            ListenAddressError::InvalidHost => "the host is not an IP address",
        })
    }
}

/// Parses `HOST:PORT` with an empty host or an IP address.
pub(crate) fn listen_address(text: &str) -> Result<Option<IpAddr>, ListenAddressError> {
    let (host, _port) = text.rsplit_once(':').ok_or(ListenAddressError::MissingPort)?;
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']').ok_or(ListenAddressError::UnclosedBracket)?,
        None if host.contains(':') => return Err(ListenAddressError::MissingBrackets),
        None => host,
    };
    if host.is_empty() {
        return Ok(None);
    }
    host.parse().map(Some).map_err(|_| ListenAddressError::InvalidHost)
}

/// Parses a duration such as `90s` or `1h30m`. Returns nanoseconds.
pub(crate) fn duration(text: &str) -> Option<i128> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|end| *end > 0)?;
        let (number, tail) = rest.split_at(digits);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') || fraction.len() > 18 {
            return None;
        }
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (unit, after) = tail.split_at(end);
        let scale: i128 = match unit {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        total = total.checked_add(whole.checked_mul(scale)?)?;
        if !fraction.is_empty() {
            total += fraction.parse::<i128>().ok()? * scale / 10_i128.pow(fraction.len() as u32);
        }
        if total > i128::from(i64::MAX) {
            return None;
        }
        rest = after;
    }
    Some(if negative { -total } else { total })
}

/// The parts of a URL that parameters are checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Url<'a> {
    pub scheme: &'a str,
    /// The part before `@`.
    pub userinfo: Option<&'a str>,
    /// Host and port.
    pub host: &'a str,
    /// From the first `/` up to `?` or `#`.
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub fragment: Option<&'a str>,
}

/// Splits `SCHEME:[//AUTHORITY]PATH[?QUERY][#FRAGMENT]`; the scheme may be missing.
pub(crate) fn url(text: &str) -> Option<Url<'_>> {
    if text.bytes().any(|b| b.is_ascii_control() || b == b' ') {
        return None;
    }
    let (rest, fragment) = text.split_once('#').map_or((text, None), |(r, f)| (r, Some(f)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(r, q)| (r, Some(q)));
    let scheme_end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    let (scheme, rest) = match scheme_end {
        Some(end) if rest.as_bytes()[end] == b':' => {
            if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
                return None;
            }
            (&rest[..end], &rest[end + 1..])
        }
        _ => ("", rest),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    let (userinfo, host) = authority.rsplit_once('@').map_or((None, authority), |(u, h)| (Some(u), h));
    if let Some((_, port)) = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'))
        && !port.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    Some(Url { scheme, userinfo, host, path, query, fragment })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_names() {
        for good in ["root", "_apt", "www-data", "a", "A1_-"] {
            assert!(is_account_name(good), "{good}");
        }
        for bad in ["", "1a", "-a", "a b", "a.b", "é", &"x".repeat(32)] {
            assert!(!is_account_name(bad), "{bad}");
        }
        assert!(is_account_name(&"x".repeat(31)));
    }

    #[test]
    fn addresses_with_prefix() {
        assert_eq!(cidr("192.0.2.7/24"), Some(("192.0.2.7".parse().unwrap(), 24)));
        assert_eq!(cidr("2001:db8::1/64").map(|c| c.1), Some(64));
        for bad in ["192.0.2.7", "192.0.2.7/33", "192.0.2/24", "192.0.2.7/", "192.0.2.7/+8", "/24"] {
            assert_eq!(cidr(bad), None, "{bad}");
        }
    }

    #[test]
    fn masks() {
        assert_eq!(ipv4_mask("/24"), Some(24));
        assert_eq!(ipv4_mask("255.255.255.0"), Some(24));
        assert_eq!(ipv4_mask("255.255.255.255"), Some(32));
        for bad in ["24", "0.0.0.0", "255.0.255.0", "/33", ""] {
            assert_eq!(ipv4_mask(bad), None, "{bad}");
        }
    }

    #[test]
    fn hardware_addresses() {
        assert!(is_canonical_mac("52:54:00:aa:bb:01"));
        for bad in ["52:54:00:AA:bb:01", "52-54-00-aa-bb-01", "52:54:00:aa:bb", "5:54:00:aa:bb:01", ""] {
            assert!(!is_canonical_mac(bad), "{bad}");
        }
    }

    #[test]
    fn listen_addresses() {
        assert_eq!(listen_address(":8080"), Ok(None));
        assert_eq!(listen_address("[::1]:80"), Ok(Some("::1".parse().unwrap())));
        assert_eq!(listen_address("127.0.0.1:80"), Ok(Some("127.0.0.1".parse().unwrap())));
        for bad in ["", "8080", "localhost:80", "::1:80", "[::1:80"] {
            assert!(listen_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(duration("90s"), Some(90_000_000_000));
        assert_eq!(duration("1h30m"), Some(5_400_000_000_000));
        assert_eq!(duration("1.5s"), Some(1_500_000_000));
        assert_eq!(duration("-1s"), Some(-1_000_000_000));
        assert_eq!(duration("0"), Some(0));
        for bad in ["", "90", "s", "1x", ".s", "1..5s", "-", "99999999999999999999h"] {
            assert_eq!(duration(bad), None, "{bad}");
        }
    }

    #[test]
    fn urls() {
        let u = url("https://user:pw@example.com:8080/a/b?x=1#f").unwrap();
        assert_eq!((u.scheme, u.userinfo, u.host, u.path), ("https", Some("user:pw"), "example.com:8080", "/a/b"));
        assert_eq!((u.query, u.fragment), (Some("x=1"), Some("f")));
        assert_eq!(url("/plain").map(|u| (u.scheme, u.path)), Some(("", "/plain")));
        assert_eq!(url("file:///a").map(|u| (u.scheme, u.host, u.path)), Some(("file", "", "/a")));
        assert_eq!(url("http://h:port/"), None);
        assert_eq!(url("http://a b/"), None);
    }
}
