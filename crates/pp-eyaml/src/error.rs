//! Why a value cannot be decrypted.

use std::fmt;

/// Why a key cannot be read, or a value cannot be decrypted. No message quotes a key or a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EyamlError {
    /// The text of a key is not PEM with an RSA key without a password.
    InvalidKey,
    /// The key is locked with a password.
    LockedKey,
    /// The method of encryption is not PKCS7: `GPG`, for example.
    UnknownMethod(String),
    /// What is in the brackets is not Base64.
    InvalidBase64,
    /// It is not an envelope, or one without content.
    InvalidEnvelope,
    /// An algorithm that is neither RSA with PKCS #1 v1.5 nor AES-CBC, by its object identifier.
    UnknownAlgorithm(String),
    /// None of the recipients has this key.
    WrongKey,
}

impl fmt::Display for EyamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EyamlError::InvalidKey => f.write_str("the private key is not an RSA key in PEM"),
            EyamlError::LockedKey => f.write_str("the private key is locked with a password"),
            EyamlError::UnknownMethod(method) => write!(f, "the encryption method {method} is not supported"),
            EyamlError::InvalidBase64 => f.write_str("the encrypted value is not valid Base64"),
            EyamlError::InvalidEnvelope => f.write_str("the encrypted value is not a PKCS7 envelope"),
            EyamlError::UnknownAlgorithm(id) => write!(f, "the encryption algorithm {id} is not supported"),
            EyamlError::WrongKey => {
                f.write_str("the private key does not fit: the value was encrypted for another key")
            }
        }
    }
}

impl std::error::Error for EyamlError {}
