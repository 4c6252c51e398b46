//! The payload's encoding, and the only place that knows bincode: replacing it touches this file and the format version.

use std::fmt;
use std::marker::PhantomData;

use serde::{Serialize, de::DeserializeOwned};

use crate::bounded::{Bounded, Bounds};

/// Little-endian, variable-length integers.
const CONFIG: bincode::config::Configuration = bincode::config::standard();

/// The bytes of a payload. Equal values give equal bytes on every machine.
pub(crate) fn encode<T: Serialize>(payload: &T) -> Vec<u8> {
    // bincode refuses only sequences that do not know their length, which derived implementations never produce.
    bincode::serde::encode_to_vec(payload, CONFIG).expect("payload types know the length of their sequences")
}

/// Why bytes are not a payload.
#[derive(Debug)]
pub(crate) enum DecodeError {
    /// There are this many bytes after the payload.
    TrailingBytes(usize),
    Truncated,
    NotUtf8,
    /// A bound of [`crate::bounded`] is exceeded, or a value is none of its type.
    Invalid(bincode::error::DecodeError),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::TrailingBytes(count) => write!(f, "{count} bytes are left over after the payload"),
            DecodeError::Truncated => f.write_str("it ends in the middle of a value"),
            DecodeError::NotUtf8 => f.write_str("a string is not UTF-8"),
            DecodeError::Invalid(bincode::error::DecodeError::OtherString(text)) => f.write_str(text),
            DecodeError::Invalid(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DecodeError {}

impl From<bincode::error::DecodeError> for DecodeError {
    fn from(error: bincode::error::DecodeError) -> DecodeError {
        match error {
            bincode::error::DecodeError::UnexpectedEnd { .. } => DecodeError::Truncated,
            bincode::error::DecodeError::Utf8 { .. } => DecodeError::NotUtf8,
            other => DecodeError::Invalid(other),
        }
    }
}

/// Reads a payload back; all bytes must be used up.
///
/// # Errors
/// The bytes are not a payload of this type.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, DecodeError> {
    let seed = Bounded::new(PhantomData::<T>, Bounds::of_payload(bytes.len()));
    let (value, used) = bincode::serde::seed_decode_from_slice(seed, bytes, CONFIG)?;
    if used == bytes.len() { Ok(value) } else { Err(DecodeError::TrailingBytes(bytes.len() - used)) }
}
