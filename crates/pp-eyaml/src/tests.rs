//! Values that Ruby's OpenSSL encrypted, as the gem hiera-eyaml does, for a key that only these tests have.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use test_support::for_each_seed;

use crate::{EyamlError, PrivateKey, decrypt};

/// A name and an envelope in Base64 per line.
const VALUES: &str = include_str!("tests/values.txt");

fn envelope(name: &str) -> &'static str {
    let line = VALUES.lines().find_map(|line| line.split_once(' ').filter(|(known, _)| *known == name));
    line.expect("a value of that name").1
}

fn key() -> PrivateKey {
    PrivateKey::from_pem(include_bytes!("tests/key.pkcs1.pem")).expect("a key")
}

fn decrypted(text: &str) -> Result<String, EyamlError> {
    decrypt(text, &key()).map(|decrypted| String::from_utf8(decrypted.bytes).expect("UTF-8"))
}

fn of(name: &str) -> Result<String, EyamlError> {
    decrypted(&format!("ENC[PKCS7,{}]", envelope(name)))
}

#[test]
fn values_have_the_text_that_was_encrypted() {
    for name in ["simple", "aes128", "aes192", "two"] {
        assert_eq!(of(name).as_deref(), Ok("s3cret"), "{name}");
    }
    assert_eq!(of("empty").as_deref(), Ok(""));
    assert_eq!(
        of("newline").as_deref(),
        Ok("two\nlines"),
        "as with hiera-eyaml, one line break at the end is left out"
    );
    let bytes = decrypt(&format!("ENC[{}]", envelope("bytes")), &key()).expect("it is for this key");
    assert_eq!(bytes.bytes, [0xff, 0]);
}

#[test]
fn text_around_encrypted_parts_stays() {
    let simple = envelope("simple");
    let (first, second) = simple.split_at(64);
    let text = format!("user:ENC[PKCS7,{first}\n  {second}]@host ENC[pkcs7,{simple}] ENC[]");
    assert_eq!(decrypted(&text).as_deref(), Ok("user:s3cret@host s3cret ENC[]"));
    assert_eq!(decrypted("plain").as_deref(), Ok("plain"));
    let secrets = decrypt(&text, &key()).expect("it is for this key").secrets;
    assert_eq!(secrets, [b"s3cret", b"s3cret"], "what must not be shown");
}

#[test]
fn keys_are_pkcs1_or_pkcs8_without_a_password() {
    let key = PrivateKey::from_pem(include_bytes!("tests/key.pkcs8.pem")).expect("a key");
    assert_eq!(decrypt(&format!("ENC[{}]", envelope("simple")), &key).map(|it| it.bytes), Ok(b"s3cret".to_vec()));
    let refused = |pem: &[u8]| PrivateKey::from_pem(pem).expect_err("refused");
    assert_eq!(refused(include_bytes!("tests/key.locked.pem")), EyamlError::LockedKey);
    assert_eq!(refused(include_bytes!("tests/cert.pem")), EyamlError::InvalidKey);
    for text in ["", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n", "\u{0}"] {
        assert_eq!(refused(text.as_bytes()), EyamlError::InvalidKey);
    }
}

#[test]
fn what_cannot_be_decrypted_is_an_error_that_quotes_nothing() {
    assert_eq!(of("foreign"), Err(EyamlError::WrongKey));
    assert_eq!(of("des3"), Err(EyamlError::UnknownAlgorithm("1.2.840.113549.3.7".to_owned())));
    assert_eq!(decrypted("ENC[GPG,aGk=]"), Err(EyamlError::UnknownMethod("GPG".to_owned())));
    assert_eq!(decrypted("ENC[PKCS7,aGk]"), Err(EyamlError::InvalidBase64));
    assert_eq!(decrypted("ENC[PKCS7,aGk=]"), Err(EyamlError::InvalidEnvelope));
    assert_eq!(format!("{:?}", key()), "PrivateKey");
}

/// RSA encrypts a key of AES for each value, so a changed byte is noticed, except one of the content.
#[test]
fn changed_envelopes_give_errors_or_other_texts() {
    let (key, envelope) = (key(), STANDARD.decode(envelope("simple")).expect("Base64"));
    for_each_seed(200, |random| {
        let mut bytes = envelope.clone();
        for _ in 0..random.usize(1..4) {
            match random.usize(0..3) {
                0 => bytes.truncate(random.usize(0..=bytes.len())),
                1 => bytes.insert(random.usize(0..=bytes.len()), random.u8(..)),
                _ if bytes.is_empty() => {}
                _ => {
                    let at = random.usize(0..bytes.len());
                    bytes[at] = random.u8(..);
                }
            }
        }
        let _ = decrypt(&format!("ENC[{}]", STANDARD.encode(&bytes)), &key);
    });
}
