//! Decrypts the values of eyaml: `ENC[PKCS7,…]`, an envelope for an RSA key around text that AES has encrypted.
//!
//! [`PrivateKey`] is read from PEM, [`decrypt`] replaces the encrypted parts of a string. An envelope is DER: `ContentInfo` with
//! `EnvelopedData` (RFC 5652). Each recipient has the key of the content, encrypted with RSA (PKCS #1 v1.5); the content is
//! encrypted with AES in CBC mode. What `openssl smime` and the gem hiera-eyaml write has this form.
//!
//! This crate opens no file, and knows nothing of Hiera. Input is not trusted, and an error never quotes a key or a decrypted
//! text.

mod envelope;
mod error;
mod key;
mod text;

pub use error::EyamlError;
pub use key::PrivateKey;
pub use text::{Decrypted, decrypt, is_encrypted};

#[cfg(test)]
mod tests;
