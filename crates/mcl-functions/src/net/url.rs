//! URLs, parsed as Go's `net/url` does.

use go_compat::strconv::quote;

/// The parts of a URL that programs can see.
#[derive(Default)]
pub(super) struct Url {
    pub(super) scheme: Vec<u8>,
    pub(super) host: Vec<u8>,
    pub(super) path: Vec<u8>,
    pub(super) raw_query: Vec<u8>,
}

pub(super) fn parse(text: &[u8]) -> Result<Url, String> {
    let (main, fragment) = match text.iter().position(|&b| b == b'#') {
        Some(hash) => (&text[..hash], &text[hash + 1..]),
        None => (text, &b""[..]),
    };
    let failure = |text: &[u8], cause: String| format!("parse {}: {cause}", quote(text));
    let url = parse_main(main).map_err(|cause| failure(main, cause))?;
    unescape(fragment, Mode::Path).map_err(|cause| failure(text, cause))?;
    Ok(url)
}

fn parse_main(text: &[u8]) -> Result<Url, String> {
    if text.iter().any(u8::is_ascii_control) {
        return Err("net/url: invalid control character in URL".to_owned());
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
            return Err("first path segment in URL cannot contain colon".to_owned());
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

fn split_scheme(text: &[u8]) -> Result<(&[u8], &[u8]), String> {
    for (i, &b) in text.iter().enumerate() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if i > 0 => {}
            b':' if i == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&text[..i], &text[i + 1..])),
            _ => break,
        }
    }
    Ok((b"", text))
}

fn parse_authority(text: &[u8]) -> Result<Vec<u8>, String> {
    let Some(at) = text.iter().rposition(|&b| b == b'@') else { return parse_host(text) };
    let host = parse_host(&text[at + 1..])?;
    let valid = |&b: &u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
    if !text[..at].iter().all(valid) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    unescape(&text[..at], Mode::Path)?;
    Ok(host)
}

fn parse_host(host: &[u8]) -> Result<Vec<u8>, String> {
    let port = if host.starts_with(b"[") {
        let Some(close) = host.iter().rposition(|&b| b == b']') else { return Err("missing ']' in host".to_owned()) };
        &host[close + 1..]
    } else {
        host.iter().rposition(|&b| b == b':').map_or(&b""[..], |colon| &host[colon..])
    };
    let valid_port = port.is_empty() || (port[0] == b':' && port[1..].iter().all(u8::is_ascii_digit));
    if !valid_port {
        return Err(format!("invalid port {} after host", quote(port)));
    }
    unescape(host, Mode::Host)
}

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Path,
    Host,
}

fn unescape(text: &[u8], mode: Mode) -> Result<Vec<u8>, String> {
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let digit = |at: usize| tail.get(at).and_then(|&b| char::from(b).to_digit(16));
            let decoded = digit(0).zip(digit(1)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
            // In hosts, only non-ASCII characters and the start of a zone can be escaped.
            let allowed = |b: u8| mode == Mode::Path || b >= 0x80 || b == b'%';
            let Some(decoded) = decoded.filter(|&b| allowed(b)) else {
                return Err(format!("invalid URL escape {}", quote(&rest[..rest.len().min(3)])));
            };
            out.push(decoded);
            rest = &tail[2..];
            continue;
        }
        let host_byte = byte >= 0x80 || byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte);
        if mode == Mode::Host && !host_byte {
            return Err(format!("invalid character {} in host name", quote(&[byte])));
        }
        out.push(byte);
        rest = tail;
    }
    Ok(out)
}
