//! Hashes of passwords: `pw_hash` and the ones of macOS.

use md5::Md5;
use pp_types::{Hash, Value};
use sha_crypt::{Sha256Params, Sha512Params, sha256_crypt_b64, sha512_crypt_b64};
use sha2::digest::Digest;

use crate::arguments::{fail, reject};
use crate::function::{Call, Function};
use crate::host::Interrupt;

/// The rounds of SHA-crypt if the salt does not say.
const ROUNDS: usize = 5_000;

pub(crate) static PW_HASH: Function = Function::counted(
    "pw_hash",
    0,
    None,
    "Returns the hash of a password for `/etc/shadow`: `pw_hash(password, 'SHA-512', salt)`. The methods are `MD5`, `SHA-256`, \
     `SHA-512`, `bcrypt`, `bcrypt-a`, `bcrypt-x`, `bcrypt-y`; a salt of `bcrypt` starts with the cost and a dollar sign.",
    pw_hash,
);

fn pw_hash(call: &mut Call<'_>) -> Result<Value, Interrupt> {
    let [password, method, salt] = call.arguments else {
        let count = call.arguments.len();
        return Err(reject(format!("pw_hash(): Wrong number of arguments given ({count} for 3)")));
    };
    let password = match password {
        Value::Sensitive(inner) => inner,
        other => other,
    };
    let Value::String(password) = password else { return Err(reject("pw_hash(): first argument must be a string")) };
    let Value::String(method) = method else { return Err(reject("pw_hash(): second argument must be a string")) };
    let name = method.to_ascii_lowercase();
    let is_known = matches!(&*name, "md5" | "sha-256" | "sha-512" | "bcrypt" | "bcrypt-a" | "bcrypt-x" | "bcrypt-y");
    if !is_known {
        return Err(reject(format!("pw_hash(): {method} is not a valid hash type")));
    }
    let Value::String(salt) = salt else { return Err(reject("pw_hash(): third argument must be a string")) };
    if salt.is_empty() {
        return Err(reject("pw_hash(): third argument must not be empty"));
    }
    let variant = name.strip_prefix("bcrypt").map(|variant| variant.strip_prefix('-').unwrap_or("b"));
    if variant.is_none() && !salt.bytes().all(is_salt) {
        return Err(reject("pw_hash(): characters in salt must be in the set [a-zA-Z0-9./]"));
    }
    if password.is_empty() {
        return Ok(Value::Undef);
    }
    call.charge(ROUNDS + password.len(), 0)?;
    let hash = match (variant, &*name) {
        (Some(variant), _) => return bcrypt_hash(call, password, salt, variant),
        (None, "md5") => {
            let salt = &salt[..salt.len().min(8)];
            format!("$1${salt}${}", md5_crypt(password.as_bytes(), salt.as_bytes()))
        }
        (None, "sha-256") => {
            let salt = &salt[..salt.len().min(16)];
            let hash = Sha256Params::new(ROUNDS)
                .ok()
                .and_then(|params| sha256_crypt_b64(password.as_bytes(), salt.as_bytes(), &params).ok());
            format!("$5${salt}${}", hash.ok_or_else(failed)?)
        }
        (None, _) => {
            let salt = &salt[..salt.len().min(16)];
            let hash = Sha512Params::new(ROUNDS)
                .ok()
                .and_then(|params| sha512_crypt_b64(password.as_bytes(), salt.as_bytes(), &params).ok());
            format!("$6${salt}${}", hash.ok_or_else(failed)?)
        }
    };
    Ok(Value::string(hash))
}

fn failed() -> Interrupt {
    fail("pw_hash(): the password cannot be hashed")
}

fn is_salt(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'/'
}

/// The digits of bcrypt and crypt, which differ in their order.
const BCRYPT_DIGITS: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CRYPT_DIGITS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn bcrypt_hash(call: &mut Call<'_>, password: &str, salt: &str, variant: &str) -> Result<Value, Interrupt> {
    let malformed = || reject("pw_hash(): characters in salt must match (?-mix:^[0-9]{2}\\$[.\\/A-Za-z0-9]{22})");
    let (cost, digits) = salt.split_once('$').ok_or_else(malformed)?;
    let digits = digits.as_bytes().get(..22).ok_or_else(malformed)?;
    if cost.len() != 2 || !cost.bytes().all(|b| b.is_ascii_digit()) || !digits.iter().all(|b| is_salt(*b)) {
        return Err(malformed());
    }
    let cost: u32 = cost.parse().map_err(|_| malformed())?;
    if !(4..=31).contains(&cost) {
        // What crypt(3) returns if it refuses.
        return Ok("*0".into());
    }
    call.charge(1_000_usize.saturating_mul(1 << cost), 0)?;
    let mut bytes = [0; 16];
    let mut number: u32 = 0;
    let mut at = 0;
    for (index, digit) in digits.iter().enumerate() {
        let value = BCRYPT_DIGITS.iter().position(|known| known == digit).unwrap_or(0);
        number = number << 6 | u32::try_from(value).unwrap_or(0);
        let available = (index + 1) * 6 - at * 8;
        if available >= 8 && at < bytes.len() {
            bytes[at] = (number >> (available - 8)) as u8;
            at += 1;
        }
    }
    let version = match variant {
        "a" => bcrypt::Version::TwoA,
        "x" => bcrypt::Version::TwoX,
        "y" => bcrypt::Version::TwoY,
        _ => bcrypt::Version::TwoB,
    };
    let hash = bcrypt::hash_with_salt(password.as_bytes(), cost, bytes).map_err(|_| failed())?;
    Ok(Value::string(hash.format_for_version(version)))
}

/// The hash of the method `MD5` of crypt(3).
fn md5_crypt(password: &[u8], salt: &[u8]) -> String {
    let inner = Md5::new().chain_update(password).chain_update(salt).chain_update(password).finalize();
    let mut hasher = Md5::new().chain_update(password).chain_update(b"$1$").chain_update(salt);
    for chunk in password.chunks(inner.len()) {
        hasher.update(&inner[..chunk.len()]);
    }
    let mut length = password.len();
    while length > 0 {
        hasher.update(if length & 1 == 1 { &[0] } else { password.get(..1).unwrap_or(&[]) });
        length >>= 1;
    }
    let mut digest = hasher.finalize();
    for round in 0..1_000 {
        let mut hasher = Md5::new();
        if round % 2 == 1 {
            hasher.update(password)
        } else {
            hasher.update(digest)
        }
        if round % 3 != 0 {
            hasher.update(salt);
        }
        if round % 7 != 0 {
            hasher.update(password);
        }
        if round % 2 == 1 {
            hasher.update(digest)
        } else {
            hasher.update(password)
        }
        digest = hasher.finalize();
    }
    let mut text = String::new();
    let mut push = |number: u32, count: usize| {
        let digits = (0..count).map(|at| CRYPT_DIGITS[(number >> (6 * at)) as usize & 63]);
        text.extend(digits.map(char::from));
    };
    for [a, b, c] in [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5]] {
        push(u32::from(digest[a]) << 16 | u32::from(digest[b]) << 8 | u32::from(digest[c]), 4);
    }
    push(u32::from(digest[11]), 2);
    text
}

pub(crate) static STR2SALTEDPBKDF2: Function = Function::counted(
    "str2saltedpbkdf2",
    0,
    None,
    "Returns the hash of a password for macOS 10.8 and later: `str2saltedpbkdf2(password, salt, iterations)`.",
    |call| {
        let [password, salt, iterations] = call.arguments else {
            let count = call.arguments.len();
            return Err(reject(format!("str2saltedpbkdf2(): wrong number of arguments ({count} for 3)")));
        };
        let Value::String(password) = password else {
            return Err(reject("str2saltedpbkdf2(): first argument must be a string"));
        };
        let Value::String(salt) = salt else {
            return Err(reject("str2saltedpbkdf2(): second argument must be a string"));
        };
        if salt.len() < 8 {
            return Err(reject("str2saltedpbkdf2(): second argument must be at least 8 bytes long"));
        }
        let Value::Integer(count) = *iterations else {
            return Err(reject("str2saltedpbkdf2(): third argument must be an integer"));
        };
        let rounds = u32::try_from(count)
            .ok()
            .filter(|rounds| (40_000..=70_000).contains(rounds))
            .ok_or_else(|| reject("str2saltedpbkdf2(): third argument must be between 40,000 and 70,000"))?;
        call.charge(rounds as usize, 0)?;
        let mut key = [0; 128];
        pbkdf2::pbkdf2_hmac::<sha2::Sha512>(password.as_bytes(), salt.as_bytes(), rounds, &mut key);
        let mut result = Hash::default();
        result.insert("password_hex".into(), Value::string(hexadecimal(&key)));
        result.insert("salt_hex".into(), Value::string(hexadecimal(salt.as_bytes())));
        result.insert("iterations".into(), Value::Integer(count));
        Ok(Value::hash(result))
    },
);

/// Returns bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
