//! URIs and their parts (RFC 3986).

use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::value::{Hash, Value};

/// The attributes, which a type can ask for.
pub(crate) const PART_NAMES: [&str; 8] = ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];

/// A URI, with its scheme in lower case and without the default port of the scheme.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Uri {
    /// The text.
    pub source: Arc<str>,
}

/// The parts of a URI that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    pub scheme: Option<&'a str>,
    pub userinfo: Option<&'a str>,
    pub host: Option<&'a str>,
    pub port: Option<&'a str>,
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub fragment: Option<&'a str>,
}

impl Uri {
    /// Reads a URI.
    ///
    /// # Errors
    /// A text that is not a URI.
    pub fn parse(source: &str) -> Result<Uri, Error> {
        let parts = split(source);
        let valid = source.bytes().all(is_uri_byte) && parts.host.is_none_or(is_host) && parts.port.is_none_or(is_port);
        if !valid {
            let message = format!("bad URI(is not URI?): {}", crate::text::ruby_inspect(&source.into()));
            return Err(Error::new(ErrorKind::Conversion, message));
        }
        Ok(Uri { source: parts.to_text().into() })
    }

    /// Returns whether two URIs are the same without regard to the case of the host, and to a path that is only a slash
    /// (RFC 3986, section 6.2).
    pub(crate) fn is_equivalent(&self, other: &Uri) -> bool {
        let normal = |uri: &Uri| {
            let parts = split(&uri.source);
            let host = parts.host.map(str::to_ascii_lowercase);
            let path = if parts.path.is_empty() { "/" } else { parts.path };
            Parts { host: host.as_deref(), path, ..parts }.to_text()
        };
        self.source == other.source || normal(self) == normal(other)
    }

    /// Returns an attribute: `scheme`, `userinfo`, `host`, `port`, `path`, `query`, `fragment`, `opaque`; `None` for another
    /// name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<Value> {
        let parts = split(&self.source);
        let opaque = self.opaque(&parts);
        let text = |part: Option<&str>| part.map_or(Value::Undef, Value::from);
        Some(match name {
            "scheme" => parts.scheme.map_or(Value::Undef, |scheme| scheme.to_ascii_lowercase().into()),
            "userinfo" => text(parts.userinfo),
            "host" => text(parts.host.filter(|host| !host.is_empty())),
            "port" => match parts.port.and_then(|port| port.parse::<i64>().ok()) {
                Some(port) => Value::Integer(port),
                None => parts.scheme.and_then(default_port).map_or(Value::Undef, Value::Integer),
            },
            "path" if opaque.is_some() => Value::Undef,
            "path" => parts.path.into(),
            "query" => text(parts.query),
            "fragment" => text(parts.fragment),
            "opaque" => text(opaque),
            _ => return None,
        })
    }

    fn opaque<'a>(&self, parts: &Parts<'a>) -> Option<&'a str> {
        (parts.scheme.is_some() && parts.host.is_none() && !parts.path.starts_with('/') && !parts.path.is_empty())
            .then_some(parts.path)
    }

    /// Returns the parts that are there, as the parameter of the type `URI`.
    pub(crate) fn type_parts(&self) -> Hash {
        let parts = split(&self.source);
        let opaque = self.opaque(&parts);
        let mut hash = Hash::default();
        let mut add = |name: &str, part: Option<&str>| {
            if let Some(part) = part.filter(|part| !part.is_empty()) {
                hash.insert(name.into(), part.into());
            }
        };
        add("scheme", parts.scheme.map(str::to_ascii_lowercase).as_deref());
        add("userinfo", parts.userinfo);
        add("host", parts.host.map(str::to_ascii_lowercase).as_deref());
        // The default port of the scheme is as good as none.
        let default = parts.scheme.and_then(default_port).map(|port| port.to_string());
        add("port", parts.port.filter(|port| Some(*port) != default.as_deref()));
        add("path", Some(parts.path).filter(|_| opaque.is_none()));
        add("query", parts.query);
        add("fragment", parts.fragment);
        add("opaque", opaque);
        hash
    }

    /// Resolves a reference against this URI (RFC 3986, section 5.2), as Ruby does: without a path of this URI, dot segments
    /// stay, and a URI that is not a hierarchy, such as `mailto:`, stays as it is.
    ///
    /// # Errors
    /// A text that is not a URI, or one of two relative references.
    pub fn join(&self, reference: &str) -> Result<Uri, Error> {
        let parsed = Uri::parse(reference)?;
        let base = split(&self.source);
        let r = split(reference);
        if r.scheme.is_some() {
            return Ok(parsed);
        }
        if base.scheme.is_none() {
            return Err(Error::new(ErrorKind::Arguments, "both URI are relative"));
        }
        if self.opaque(&base).is_some() {
            return Ok(self.clone());
        }
        let merged;
        let resolved = if r.host.is_some() {
            Parts { scheme: base.scheme, ..r }
        } else {
            let authority = Parts { query: r.query, fragment: r.fragment, ..base.clone() };
            if r.path.is_empty() {
                let fragment = if r.query.is_none() { r.fragment.or(base.fragment) } else { r.fragment };
                Parts { query: r.query.or(base.query), fragment, ..authority }
            } else {
                merged = if r.path.starts_with('/') {
                    remove_dot_segments(r.path)
                } else {
                    let directory = base.path.rfind('/').map_or("", |slash| &base.path[..=slash]);
                    let directory = if base.host.is_some() && base.path.is_empty() { "/" } else { directory };
                    remove_dot_segments(&format!("{directory}{}", r.path))
                };
                Parts { path: &merged, ..authority }
            }
        };
        Ok(Uri { source: resolved.to_text().into() })
    }
}

impl Parts<'_> {
    fn to_text(&self) -> String {
        let mut out = String::new();
        let mut add = |before: &str, part: Option<&str>, after: &str| {
            if let Some(part) = part {
                out.push_str(before);
                out.push_str(part);
                out.push_str(after);
            }
        };
        let scheme = self.scheme.map(str::to_ascii_lowercase);
        add("", scheme.as_deref(), ":");
        if self.host.is_some() {
            add("//", Some(""), "");
            add("", self.userinfo, "@");
            add("", self.host, "");
            let default_port = scheme.as_deref().and_then(default_port);
            let is_default = |port: &&str| default_port.is_some() && port.parse().ok() == default_port;
            add(":", self.port.filter(|port| !is_default(port)), "");
        }
        add("", Some(self.path), "");
        add("?", self.query, "");
        add("#", self.fragment, "");
        out
    }
}

/// Splits a URI as the regular expression of RFC 3986, appendix B does.
pub(crate) fn split(source: &str) -> Parts<'_> {
    let (rest, fragment) = split_off(source, '#');
    let (rest, query) = split_off(rest, '?');
    let scheme = rest.find(':').map(|colon| &rest[..colon]).filter(|scheme| is_scheme(scheme));
    let rest = scheme.map_or(rest, |scheme| &rest[scheme.len() + 1..]);
    let Some(after) = rest.strip_prefix("//") else {
        return Parts { scheme, path: rest, query, fragment, ..Parts::default() };
    };
    let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
    let (userinfo, host) = match authority.rsplit_once('@') {
        Some((userinfo, host)) => (Some(userinfo), host),
        None => (None, authority),
    };
    // A colon within brackets is a part of an IPv6 address.
    let port_colon = host.rfind(':').filter(|colon| !host[*colon..].contains(']'));
    let (host, port) = match port_colon {
        Some(colon) => (&host[..colon], Some(&host[colon + 1..]).filter(|port| !port.is_empty())),
        None => (host, None),
    };
    Parts { scheme, userinfo, host: Some(host), port, path, query, fragment }
}

fn split_off(text: &str, mark: char) -> (&str, Option<&str>) {
    match text.split_once(mark) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}')
}

fn is_host(host: &str) -> bool {
    match host.strip_prefix('[') {
        Some(address) => address.strip_suffix(']').is_some_and(|address| !address.contains(['[', ']'])),
        None => !host.contains(['[', ']', ':', '@']),
    }
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|b| b.is_ascii_digit())
}

pub(crate) fn default_port(scheme: &str) -> Option<i64> {
    Some(match scheme.to_ascii_lowercase().as_str() {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

fn remove_dot_segments(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').collect();
    for (at, segment) in segments.iter().enumerate() {
        let is_last = at + 1 == segments.len();
        match *segment {
            "." => {
                if is_last {
                    out.push("");
                }
            }
            ".." => {
                if out.len() > 1 {
                    out.pop();
                }
                if is_last {
                    out.push("");
                }
            }
            other => out.push(other),
        }
    }
    out.join("/")
}
