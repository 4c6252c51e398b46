//! MAC addresses of six bytes.

use std::fmt;

/// Why a text is not a MAC address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MacError {
    Length(String),
    Invalid(String),
}

impl fmt::Display for MacError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MacError::Length(text) => write!(f, "invalid MAC address length: {text}"),
            MacError::Invalid(text) => write!(f, "address {text}: invalid MAC address"),
        }
    }
}

impl std::error::Error for MacError {}

/// Formats an address in lower case with the given separator.
pub(super) fn format(text: &str, separator: char) -> Result<String, MacError> {
    if text.len() != 17 {
        return Err(MacError::Length(text.to_owned()));
    }
    let invalid = || MacError::Invalid(text.to_owned());
    let given = char::from(text.as_bytes()[2]);
    if given != ':' && given != '-' {
        return Err(invalid());
    }
    let pairs: Vec<&str> = text.split(given).collect();
    let pair = |pair: &&str| pair.len() == 2 && pair.bytes().all(|b| b.is_ascii_hexdigit());
    if pairs.len() != 6 || !pairs.iter().all(pair) {
        return Err(invalid());
    }
    Ok(pairs.join(separator.encode_utf8(&mut [0; 4])).to_ascii_lowercase())
}
