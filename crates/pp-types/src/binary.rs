//! Binary values and base64.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine};

/// Accepts any padding.
const LENIENT: engine::GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Returns bytes as base64 without newlines.
#[must_use]
pub fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns bytes as base64 with the alphabet that is safe in URLs.
pub(crate) fn encode_url(bytes: &[u8]) -> String {
    URL_SAFE.encode(bytes)
}

/// Returns bytes as base64 in lines of 60 characters, each with a newline.
pub(crate) fn encode_lines(bytes: &[u8]) -> String {
    let mut out = String::new();
    for line in bytes.chunks(45) {
        out.push_str(&STANDARD.encode(line));
        out.push('\n');
    }
    out
}

/// Reads base64 without newlines and with full padding.
pub(crate) fn decode_strict(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// Reads base64 with the alphabet that is safe in URLs.
pub(crate) fn decode_url(text: &str) -> Option<Vec<u8>> {
    decode_strict(&text.replace('-', "+").replace('_', "/"))
}

/// Reads base64 as Ruby's `unpack('m')` does: characters outside of the alphabet are skipped, and padding ends
/// the text.
#[must_use]
pub fn decode_base64_leniently(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .take_while(|b| *b != b'=')
        .filter(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
        .collect();
    // A single digit of a last group has no byte.
    let whole = if digits.len() % 4 == 1 { &digits[..digits.len() - 1] } else { &digits[..] };
    LENIENT.decode(whole).unwrap_or_default()
}
