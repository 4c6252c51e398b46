//! The private key.

use std::fmt;

use rsa::Pkcs1v15Encrypt;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::DecodePrivateKey;

use crate::error::EyamlError;

/// A private key.
#[derive(Clone)]
pub struct PrivateKey(rsa::PrivateKey);

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey")
    }
}

impl PrivateKey {
    /// Reads a key in PEM: PKCS #1 (`RSA PRIVATE KEY`), as `eyaml createkeys` writes it, or PKCS #8 (`PRIVATE KEY`).
    ///
    /// # Errors
    /// What is not such a key, and a key with a password.
    pub fn from_pem(pem: &[u8]) -> Result<PrivateKey, EyamlError> {
        let text = std::str::from_utf8(pem).map_err(|_| EyamlError::InvalidKey)?;
        // A key in PKCS #1 says in a header that it has a password.
        if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED") {
            return Err(EyamlError::LockedKey);
        }
        let key = if text.contains("BEGIN RSA PRIVATE KEY") {
            rsa::PrivateKey::from_pkcs1_pem(text).ok()
        } else {
            rsa::PrivateKey::from_pkcs8_pem(text).ok()
        };
        key.map(PrivateKey).ok_or(EyamlError::InvalidKey)
    }

    /// Decrypts the key of a content; `None` if it was encrypted for another key.
    pub(crate) fn decrypt(&self, encrypted: &[u8]) -> Option<Vec<u8>> {
        self.0.decrypt(Pkcs1v15Encrypt, encrypted).ok()
    }
}
