//! `host:port`.

use std::fmt;

/// Why a text is not `host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostPortError {
    address: String,
    cause: HostPortErrorCause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HostPortErrorCause {
    MissingPort,
    TooManyColons,
    MissingBracket,
    UnexpectedOpeningBracket,
    UnexpectedClosingBracket,
}

impl fmt::Display for HostPortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cause = match self.cause {
            HostPortErrorCause::MissingPort => "missing port in address",
            HostPortErrorCause::TooManyColons => "too many colons in address",
            HostPortErrorCause::MissingBracket => "missing ']' in address",
            HostPortErrorCause::UnexpectedOpeningBracket => "unexpected '[' in address",
            HostPortErrorCause::UnexpectedClosingBracket => "unexpected ']' in address",
        };
        write!(f, "address {}: {cause}", self.address)
    }
}

impl std::error::Error for HostPortError {}

/// Splits an address as Go's `net.SplitHostPort` does.
pub(super) fn split(text: &str) -> Result<(&str, &str), HostPortError> {
    let failure = |cause| Err(HostPortError { address: text.to_owned(), cause });
    let Some(colon) = text.rfind(':') else { return failure(HostPortErrorCause::MissingPort) };
    // The offsets from which on brackets are not allowed.
    let (host, open_from, close_from) = if text.starts_with('[') {
        let Some(end) = text.find(']') else { return failure(HostPortErrorCause::MissingBracket) };
        if end + 1 != colon {
            let colon_follows = text[end + 1..].starts_with(':');
            return failure(if colon_follows {
                HostPortErrorCause::TooManyColons
            } else {
                HostPortErrorCause::MissingPort
            });
        }
        (&text[1..end], 1, end + 1)
    } else {
        let host = &text[..colon];
        if host.contains(':') {
            return failure(HostPortErrorCause::TooManyColons);
        }
        (host, 0, 0)
    };
    if text[open_from..].contains('[') {
        return failure(HostPortErrorCause::UnexpectedOpeningBracket);
    }
    if text[close_from..].contains(']') {
        return failure(HostPortErrorCause::UnexpectedClosingBracket);
    }
    Ok((host, &text[colon + 1..]))
}
