//! Strings with encrypted parts.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::envelope::open;
use crate::error::EyamlError;
use crate::key::PrivateKey;

/// What encrypted parts start with.
const START: &str = "ENC[";

/// Whether a string has an encrypted part.
#[must_use]
pub fn is_encrypted(text: &str) -> bool {
    next_part(text).is_some()
}

/// A decrypted string.
#[derive(Clone, PartialEq, Eq)]
pub struct Decrypted {
    /// The string with the text of its encrypted parts; it need not be UTF-8.
    pub bytes: Vec<u8>,
    /// The texts of the encrypted parts.
    pub secrets: Vec<Vec<u8>>,
}

impl fmt::Debug for Decrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decrypted")
    }
}

/// Decrypts the parts `ENC[METHOD,…]` of a string. Without a method it is `PKCS7`. Other text stays, and as with hiera-eyaml
/// one line break at the end does not.
///
/// # Errors
/// A part that cannot be decrypted with this key.
pub fn decrypt(text: &str, key: &PrivateKey) -> Result<Decrypted, EyamlError> {
    let mut out = Vec::new();
    let mut secrets = Vec::new();
    let mut rest = text;
    while let Some(Part { before, method, data, after }) = next_part(rest) {
        out.extend_from_slice(before.as_bytes());
        if !method.eq_ignore_ascii_case("PKCS7") {
            return Err(EyamlError::UnknownMethod(method.to_owned()));
        }
        let data: String = data.split_ascii_whitespace().collect();
        let envelope = STANDARD.decode(data).map_err(|_| EyamlError::InvalidBase64)?;
        let secret = open(&envelope, key)?;
        out.extend_from_slice(&secret);
        secrets.push(secret);
        rest = after;
    }
    out.extend_from_slice(rest.as_bytes());
    let length = out.strip_suffix(b"\n").map_or(out.len(), |kept| kept.strip_suffix(b"\r").unwrap_or(kept).len());
    out.truncate(length);
    Ok(Decrypted { bytes: out, secrets })
}

/// An encrypted part, and the text around it.
struct Part<'a> {
    before: &'a str,
    method: &'a str,
    data: &'a str,
    after: &'a str,
}

fn next_part(text: &str) -> Option<Part<'_>> {
    let mut from = 0;
    loop {
        let start = from + text.get(from..)?.find(START)?;
        let inside = &text[start + START.len()..];
        let is_data = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | ' ' | '\n' | '\r' | '\t');
        let word = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inside.len());
        let (method, data) = match inside[word..].strip_prefix(',') {
            Some(data) if word > 0 => (&inside[..word], data),
            _ => ("PKCS7", inside),
        };
        let length = data.find(|c| !is_data(c)).unwrap_or(data.len());
        if length > 0
            && let Some(after) = data[length..].strip_prefix(']')
        {
            return Some(Part { before: &text[..start], method, data: &data[..length], after });
        }
        from = start + START.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_recognised_as_eyaml_does() {
        for text in ["ENC[PKCS7,aGk=]", "a ENC[aGk=] b", "ENC[x ENC[PKCS7,aG\n k=]", "ENC[GPG,aGk=]"] {
            assert!(is_encrypted(text), "{text}");
        }
        for text in ["", "ENC[]", "ENC[PKCS7,]", "ENC[PKCS7,a-b]", "enc[PKCS7,aGk=]", "ENC[PKCS7,aGk="] {
            assert!(!is_encrypted(text), "{text}");
        }
    }

    #[test]
    fn many_starts_take_linear_time() {
        let text = START.repeat(1 << 20);
        assert!(!is_encrypted(&text));
    }
}
