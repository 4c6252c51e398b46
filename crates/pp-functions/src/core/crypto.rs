//! Digests.

use md5::Md5;
use pp_types::{Value, interpolate};
use sha1::Sha1;
use sha2::Sha256;
use sha2::digest::Digest;

use crate::arguments::fail;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::inspect::class_name;

pub(crate) static MD5: Function = Function::counted(
    "md5",
    1,
    Some(1),
    "Returns the MD5 digest of a string as hexadecimal digits. Do not use it where somebody might want to forge a digest.",
    |call| hexadecimal::<Md5>(call, "md5"),
);

pub(crate) static SHA1: Function = Function::counted(
    "sha1",
    1,
    Some(1),
    "Returns the SHA-1 digest of a string as hexadecimal digits. Do not use it where somebody might want to forge a digest.",
    |call| hexadecimal::<Sha1>(call, "sha1"),
);

pub(crate) static SHA256: Function =
    Function::counted("sha256", 1, Some(1), "Returns the SHA-256 digest of a string as hexadecimal digits.", |call| {
        hexadecimal::<Sha256>(call, "sha256")
    });

pub(crate) static DIGEST: Function = Function::counted(
    "digest",
    1,
    Some(1),
    "Returns the digest of a string as hexadecimal digits, by the algorithm that Puppet uses by default: SHA-256.",
    |call| hexadecimal::<Sha256>(call, "digest"),
);

fn hexadecimal<D: Digest>(call: &mut Call<'_>, name: &str) -> Result<Value, Interrupt> {
    let text = match call.argument(0) {
        Value::String(text) => text.to_string(),
        value @ Value::Binary(_) => interpolate(value),
        other => return Err(fail(format!("{name}(): expects a String, got {}", class_name(other)))),
    };
    call.charge(text.len() / 64, 0)?;
    let digest = D::digest(text.as_bytes());
    Ok(Value::string(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
}

/// Returns the MD5 digest of bytes.
pub(crate) fn md5_bytes(bytes: &[u8]) -> [u8; 16] {
    Md5::digest(bytes).into()
}
