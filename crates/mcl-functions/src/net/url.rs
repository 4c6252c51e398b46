//! URLs, parsed as Go's `net/url` does.

use std::fmt;

use go_compat::strconv::quote;

/// The parts of a URL that programs can see.
#[derive(Default)]
pub(super) struct Url {
    pub(super) scheme: Vec<u8>,
    pub(super) host: Vec<u8>,
    pub(super) path: Vec<u8>,
    pub(super) raw_query: Vec<u8>,
}

/// Why a text is not a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UrlError {
    /// The text that was parsed.
    text: Vec<u8>,
    cause: UrlErrorCause,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum UrlErrorCause {
    ControlCharacter,
    ColonInFirstSegment,
    MissingScheme,
    UserInfo,
    MissingBracket,
    Port(Vec<u8>),
    Escape(Vec<u8>),
    HostCharacter(u8),
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "parse {}: {}", quote(&self.text), self.cause)
    }
}

impl fmt::Display for UrlErrorCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UrlErrorCause::ControlCharacter => f.write_str("net/url: invalid control character in URL"),
            UrlErrorCause::ColonInFirstSegment => f.write_str("first path segment in URL cannot contain colon"),
            UrlErrorCause::MissingScheme => f.write_str("missing protocol scheme"),
            UrlErrorCause::UserInfo => f.write_str("net/url: invalid userinfo"),
            UrlErrorCause::MissingBracket => f.write_str("missing ']' in host"),
            UrlErrorCause::Port(port) => write!(f, "invalid port {} after host", quote(port)),
            UrlErrorCause::Escape(escape) => write!(f, "invalid URL escape {}", quote(escape)),
            UrlErrorCause::HostCharacter(byte) => write!(f, "invalid character {} in host name", quote(&[*byte])),
        }
    }
}

impl std::error::Error for UrlError {}

pub(super) fn parse(text: &[u8]) -> Result<Url, UrlError> {
    let (main, fragment) = match text.iter().position(|&b| b == b'#') {
        Some(hash) => (&text[..hash], &text[hash + 1..]),
        None => (text, &b""[..]),
    };
    let failure = |text: &[u8], cause| UrlError { text: text.to_vec(), cause };
    let url = parse_main(main).map_err(|cause| failure(main, cause))?;
    unescape(fragment, Mode::Path).map_err(|cause| failure(text, cause))?;
    Ok(url)
}

fn parse_main(text: &[u8]) -> Result<Url, UrlErrorCause> {
    if text.iter().any(u8::is_ascii_control) {
        return Err(UrlErrorCause::ControlCharacter);
    }
    let (scheme, mut rest) = split_scheme(text)?;
    let mut url = Url { scheme: scheme.to_ascii_lowercase(), ..Url::default() };
    if let Some(question) = rest.iter().position(|&b| b == b'?') {
        url.raw_query = rest[question + 1..].to_vec();
        rest = &rest[..question];
    }
    if !rest.starts_with(b"/") {
        if !url.scheme.is_empty() {
            // An opaque URL, for example `mailto:x`.
            return Ok(url);
        }
        if rest.split(|&b| b == b'/').next().is_some_and(|segment| segment.contains(&b':')) {
            return Err(UrlErrorCause::ColonInFirstSegment);
        }
    }
    let has_authority = !url.scheme.is_empty() || !rest.starts_with(b"///");
    if let Some(authority) = rest.strip_prefix(b"//").filter(|_| has_authority) {
        let end = authority.iter().position(|&b| b == b'/').unwrap_or(authority.len());
        url.host = parse_authority(&authority[..end])?;
        rest = &authority[end..];
    }
    url.path = unescape(rest, Mode::Path)?;
    Ok(url)
}

fn split_scheme(text: &[u8]) -> Result<(&[u8], &[u8]), UrlErrorCause> {
    for (i, &b) in text.iter().enumerate() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if i > 0 => {}
            b':' if i == 0 => return Err(UrlErrorCause::MissingScheme),
            b':' => return Ok((&text[..i], &text[i + 1..])),
            _ => break,
        }
    }
    Ok((b"", text))
}

fn parse_authority(text: &[u8]) -> Result<Vec<u8>, UrlErrorCause> {
    let Some(at) = text.iter().rposition(|&b| b == b'@') else { return parse_host(text) };
    let host = parse_host(&text[at + 1..])?;
    let valid = |&b: &u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
    if !text[..at].iter().all(valid) {
        return Err(UrlErrorCause::UserInfo);
    }
    unescape(&text[..at], Mode::Path)?;
    Ok(host)
}

fn parse_host(host: &[u8]) -> Result<Vec<u8>, UrlErrorCause> {
    let port = if host.starts_with(b"[") {
        let Some(close) = host.iter().rposition(|&b| b == b']') else { return Err(UrlErrorCause::MissingBracket) };
        &host[close + 1..]
    } else {
        host.iter().rposition(|&b| b == b':').map_or(&b""[..], |colon| &host[colon..])
    };
    let valid_port = port.is_empty() || (port[0] == b':' && port[1..].iter().all(u8::is_ascii_digit));
    if !valid_port {
        return Err(UrlErrorCause::Port(port.to_vec()));
    }
    unescape(host, Mode::Host)
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Path,
    Host,
}

fn unescape(text: &[u8], mode: Mode) -> Result<Vec<u8>, UrlErrorCause> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let digit = |at: usize| tail.get(at).and_then(|&b| char::from(b).to_digit(16));
            let decoded = digit(0).zip(digit(1)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
            // In hosts, only non-ASCII characters and the start of a zone can be escaped.
            let allowed = |b: u8| mode == Mode::Path || b >= 0x80 || b == b'%';
            let Some(decoded) = decoded.filter(|&b| allowed(b)) else {
                return Err(UrlErrorCause::Escape(rest[..rest.len().min(3)].to_vec()));
            };
            out.push(decoded);
            rest = &tail[2..];
            continue;
        }
        let host_byte = byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte);
        if mode == Mode::Host && !host_byte {
            return Err(UrlErrorCause::HostCharacter(byte));
        }
        out.push(byte);
        rest = tail;
    }
    Ok(out)
}
