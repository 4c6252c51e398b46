//! The payload's encoding, and the only place that knows bincode: replacing it touches this file and the format version.

use serde::{Serialize, de::DeserializeOwned};

use crate::bounded::{Bounded, Bounds};

/// Little-endian, variable-length integers.
const CONFIG: bincode::config::Configuration = bincode::config::standard();

/// The bytes of a payload. Equal values give equal bytes on every machine.
pub(crate) fn encode<T: Serialize>(payload: &T) -> Vec<u8> {
    // bincode refuses only sequences that do not know their length, which derived implementations never produce.
    bincode::serde::encode_to_vec(payload, CONFIG).expect("payload types know the length of their sequences")
}

/// Reads a payload back; all bytes must be used up.
///
/// # Errors
/// What is wrong with the bytes, as half a sentence.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let seed = Bounded::new(std::marker::PhantomData::<T>, Bounds::of_payload(bytes.len()));
    match bincode::serde::seed_decode_from_slice(seed, bytes, CONFIG) {
        Ok((value, used)) if used == bytes.len() => Ok(value),
        Ok((_, used)) => Err(format!("{} bytes are left over after the payload", bytes.len() - used)),
        Err(error) => Err(describe(&error)),
    }
}

fn describe(error: &bincode::error::DecodeError) -> String {
    use bincode::error::DecodeError;
    match error {
        DecodeError::UnexpectedEnd { .. } => "it ends in the middle of a value".to_owned(),
        DecodeError::OtherString(text) => text.clone(),
        DecodeError::Utf8 { .. } => "a string is not UTF-8".to_owned(),
        other => other.to_string(),
    }
}
