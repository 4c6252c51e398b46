//! `host:port`.

/// Splits an address as Go's `net.SplitHostPort` does.
pub(super) fn split(text: &str) -> Result<(&str, &str), String> {
    let failure = |cause: &str| Err(format!("address {text}: {cause}"));
    let Some(colon) = text.rfind(':') else { return failure("missing port in address") };
    // The offsets from which on brackets are not allowed.
    let (host, open_from, close_from) = if text.starts_with('[') {
        let Some(end) = text.find(']') else { return failure("missing ']' in address") };
        if end + 1 != colon {
            let colon_follows = text[end + 1..].starts_with(':');
            return failure(if colon_follows { "too many colons in address" } else { "missing port in address" });
        }
        (&text[1..end], 1, end + 1)
    } else {
        let host = &text[..colon];
        if host.contains(':') {
            return failure("too many colons in address");
        }
        (host, 0, 0)
    };
    if text[open_from..].contains('[') {
        return failure("unexpected '[' in address");
    }
    if text[close_from..].contains(']') {
        return failure("unexpected ']' in address");
    }
    Ok((host, &text[colon + 1..]))
}
