//! The envelope: `ContentInfo` with `EnvelopedData` of RFC 5652, as far as eyaml uses it.

use aes::{Aes128, Aes192, Aes256};
use cbc::Decryptor;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockModeDecrypt, KeyIvInit};
use der::asn1::{Any, ObjectIdentifier, OctetString};
use der::{Decode, Sequence};

use crate::error::EyamlError;
use crate::key::PrivateKey;

/// `id-envelopedData`
const ENVELOPED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.3");
/// `rsaEncryption`
const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const AES_128_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.2");
const AES_192_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.22");
const AES_256_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.42");

#[derive(Sequence)]
struct ContentInfo {
    content_type: ObjectIdentifier,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT")]
    content: Any,
}

#[derive(Sequence)]
struct EnvelopedData {
    version: u8,
    /// A set of recipients, of which only those with RSA keys are sequences.
    recipients: Any,
    content: EncryptedContent,
}

#[derive(Sequence)]
struct EncryptedContent {
    content_type: ObjectIdentifier,
    algorithm: Algorithm,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    encrypted: Option<OctetString>,
}

#[derive(Sequence)]
struct Algorithm {
    id: ObjectIdentifier,
    parameters: Option<Any>,
}

#[derive(Sequence)]
struct Recipient {
    version: u8,
    /// The issuer and number of the certificate, or the identifier of its key: all recipients are tried.
    id: Any,
    algorithm: Algorithm,
    encrypted_key: OctetString,
}

/// Decrypts the content of an envelope.
pub(crate) fn open(envelope: &[u8], key: &PrivateKey) -> Result<Vec<u8>, EyamlError> {
    let invalid = |_| EyamlError::InvalidEnvelope;
    let ContentInfo { content_type, content } = ContentInfo::from_der(envelope).map_err(invalid)?;
    if content_type != ENVELOPED_DATA {
        return Err(EyamlError::InvalidEnvelope);
    }
    let EnvelopedData { recipients, content, .. } = content.decode_as().map_err(invalid)?;
    let encrypted = content.encrypted.ok_or(EyamlError::InvalidEnvelope)?;
    let mut unknown = None;
    let mut rest = recipients.value();
    while !rest.is_empty() {
        let (recipient, after) = Any::from_der_partial(rest).map_err(invalid)?;
        rest = after;
        let Ok(recipient) = recipient.decode_as::<Recipient>() else { continue };
        if recipient.algorithm.id != RSA {
            unknown = Some(EyamlError::UnknownAlgorithm(recipient.algorithm.id.to_string()));
            continue;
        }
        let Some(content_key) = key.decrypt(recipient.encrypted_key.as_bytes()) else { continue };
        match decrypt_content(&content.algorithm, &content_key, encrypted.as_bytes()) {
            Err(EyamlError::WrongKey) => {}
            result => return result,
        }
    }
    Err(unknown.unwrap_or(EyamlError::WrongKey))
}

fn decrypt_content(algorithm: &Algorithm, key: &[u8], encrypted: &[u8]) -> Result<Vec<u8>, EyamlError> {
    let iv: Option<OctetString> = algorithm.parameters.as_ref().and_then(|parameters| parameters.decode_as().ok());
    let iv = iv.ok_or_else(|| EyamlError::UnknownAlgorithm(algorithm.id.to_string()))?;
    match algorithm.id {
        AES_256_CBC => decrypt_cbc::<Decryptor<Aes256>>(key, iv.as_bytes(), encrypted),
        AES_192_CBC => decrypt_cbc::<Decryptor<Aes192>>(key, iv.as_bytes(), encrypted),
        AES_128_CBC => decrypt_cbc::<Decryptor<Aes128>>(key, iv.as_bytes(), encrypted),
        other => Err(EyamlError::UnknownAlgorithm(other.to_string())),
    }
}

/// A key of the wrong length, or padding that is none, is that of another recipient.
fn decrypt_cbc<D: KeyIvInit + BlockModeDecrypt>(
    key: &[u8],
    iv: &[u8],
    encrypted: &[u8],
) -> Result<Vec<u8>, EyamlError> {
    let decryptor = D::new_from_slices(key, iv).map_err(|_| EyamlError::WrongKey)?;
    let mut buffer = encrypted.to_vec();
    let length = decryptor.decrypt_padded::<Pkcs7>(&mut buffer).map_err(|_| EyamlError::WrongKey)?.len();
    buffer.truncate(length);
    Ok(buffer)
}
