//! Numbers and strings that look random and stay the same: they depend on a seed, and mostly on the name of the node.

use pp_types::{Value, interpolate};
use sha1::Sha1;
use sha2::Sha256;
use sha2::digest::Digest;

use crate::arguments::{fail, reject};
use crate::core::md5_bytes;
use crate::function::{Call, Function};
use crate::host::Interrupt;
use crate::ruby::random::MersenneTwister;

/// The greatest length of a string.
const MAX_LENGTH: i64 = 1_000_000;

pub(crate) static FQDN_RAND_STRING: Function = Function::counted(
    "fqdn_rand_string",
    0,
    None,
    "Returns a string of a length that looks random and stays the same on each node. The second argument has the characters \
     to choose from, those after it are seeds.",
    |call| {
        if call.arguments.is_empty() {
            return Err(reject("fqdn_rand_string(): Wrong number of arguments given (0 for minimum 1)"));
        }
        let length = positive(call.argument(0), "fqdn_rand_string")?;
        let characters: Vec<char> = match call.argument(1) {
            Value::Undef => default_characters('A', 'a'),
            Value::String(text) if text.is_empty() => default_characters('A', 'a'),
            Value::String(text) => text.chars().collect(),
            _ => return Err(reject("fqdn_rand_string(): second argument must be undef or a string")),
        };
        let node = node_name(call);
        let count = characters.len() as u64;
        let mut seed: Vec<String> = call.arguments.iter().skip(2).map(interpolate).collect();
        seed.push(String::new());
        let prefix = format!("{node}:{count}:{}", seed.join(":"));
        let mut text = String::new();
        for at in 1..=length {
            // Each character costs a generator.
            call.charge(1_000, 4)?;
            let number = seeded(format!("{prefix}{at}").as_bytes(), count);
            text.extend(usize::try_from(number).ok().and_then(|number| characters.get(number)));
        }
        Ok(Value::string(text))
    },
);

/// The digits, and the letters in two cases.
fn default_characters(first: char, second: char) -> Vec<char> {
    let letters = |from: char| (0..26).filter_map(move |at| char::from_u32(u32::from(from) + at));
    ('0'..='9').chain(letters(first)).chain(letters(second)).collect()
}

fn positive(value: &Value, name: &str) -> Result<i64, Interrupt> {
    let number = match value {
        Value::Integer(integer) => Some(*integer),
        Value::String(text) if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    };
    match number {
        Some(number) if number > 0 => Ok(number),
        _ => Err(reject(format!("{name}(): first argument must be a positive integer"))),
    }
}

fn node_name(call: &mut Call<'_>) -> String {
    match call.host.variable("::fqdn") {
        Some(Value::String(name)) => name.to_string(),
        _ => call.host.node_name().to_string(),
    }
}

/// Returns a number below a count, which is not zero, from the MD5 digest of a seed.
fn seeded(seed: &[u8], count: u64) -> u64 {
    generator(&md5_bytes(seed)).up_to(count.saturating_sub(1))
}

/// Creates a generator from a digest, taken as a large number.
fn generator(digest: &[u8]) -> MersenneTwister {
    let words = digest.rchunks(4).map(|word| word.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)));
    MersenneTwister::new(&words.collect::<Vec<u32>>())
}

pub(crate) static SEEDED_RAND: Function = Function::counted(
    "seeded_rand",
    0,
    None,
    "Returns a number from zero up to, but not including, the first argument. It depends only on the second, a seed.",
    |call| {
        if call.arguments.len() != 2 {
            let count = call.arguments.len();
            return Err(reject(format!("seeded_rand(): Wrong number of arguments given ({count} for 2)")));
        }
        let max = positive(call.argument(0), "seeded_rand")?;
        let Value::String(seed) = call.argument(1) else {
            return Err(reject("seeded_rand(): second argument must be a string"));
        };
        let number = seeded(seed.as_bytes(), max.unsigned_abs());
        Ok(Value::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
    },
);

pub(crate) static SEEDED_RAND_STRING: Function = Function::typed(
    "seeded_rand_string",
    &["Integer[1] length, String seed, String[2] ?charset"],
    "Returns a string of a length that depends only on a seed. The third argument has the characters to choose from.",
    |call| {
        let Value::Integer(length) = *call.argument(0) else { return Err(reject("expects a length")) };
        if length > MAX_LENGTH {
            return Err(fail(format!("seeded_rand_string(): the length {length} is greater than {MAX_LENGTH}")));
        }
        let characters: Vec<char> = match call.argument(2) {
            Value::String(text) => text.chars().collect(),
            _ => default_characters('a', 'A'),
        };
        call.charge(usize::try_from(length).unwrap_or(usize::MAX), usize::try_from(length * 4).unwrap_or(usize::MAX))?;
        let mut generator = generator(&Sha256::digest(call.string(1).as_bytes()));
        let limit = characters.len() as u64 - 1;
        let pick = |_| usize::try_from(generator.up_to(limit)).ok().and_then(|at| characters.get(at));
        Ok(Value::string((0..length).filter_map(pick).collect::<String>()))
    },
);

pub(crate) static FQDN_ROTATE: Function = Function::counted(
    "fqdn_rotate",
    0,
    None,
    "Returns an array, or the characters of a string, rotated by a number that stays the same on each node. Further arguments \
     are seeds.",
    |call| {
        if call.arguments.is_empty() {
            return Err(reject("fqdn_rotate(): Wrong number of arguments given (0 for 1)"));
        }
        let mut seed = vec![node_name(call)];
        let texts = |value: &Value| match value {
            Value::Array(values) => values.iter().map(interpolate).collect::<Vec<_>>().join(":"),
            value => interpolate(value),
        };
        seed.extend(call.arguments.iter().skip(1).map(texts));
        if seed.len() == 1 {
            seed.push(String::new());
        }
        let seed = seed.join(":");
        let turn = |count: usize| usize::try_from(seeded(seed.as_bytes(), count as u64)).unwrap_or(0);
        match call.argument(0) {
            Value::Array(values) if values.len() > 1 => {
                let mut values = values.as_slice().to_vec();
                call.host.charge(values.len() as u64, 0)?;
                let by = turn(values.len());
                values.rotate_left(by);
                Ok(Value::array(values))
            }
            Value::String(text) if text.chars().count() > 1 => {
                let mut characters: Vec<char> = text.chars().collect();
                let by = turn(characters.len());
                characters.rotate_left(by);
                Ok(Value::string(characters.into_iter().collect::<String>()))
            }
            short @ (Value::Array(_) | Value::String(_)) => Ok(short.clone()),
            _ => Err(reject("fqdn_rotate(): Requires either array or string to work with")),
        }
    },
);

pub(crate) static FQDN_UUID: Function =
    Function::counted("fqdn_uuid", 0, None, "Returns the UUID (version 5) of a host name.", |call| {
        match call.arguments.len() {
            1 => {}
            0 => return Err(reject("fqdn_uuid: No arguments given")),
            count => return Err(reject(format!("fqdn_uuid: Too many arguments given ({count})"))),
        }
        let Value::String(name) = call.argument(0) else { return Err(reject("fqdn_uuid: expects a String")) };
        // The name space of host names (RFC 4122).
        let mut hasher = Sha1::new();
        hasher.update(0x6ba7_b810_9dad_11d1_80b4_00c0_4fd4_30c8_u128.to_be_bytes());
        hasher.update(name.as_bytes());
        let mut bytes: Vec<u8> = hasher.finalize().to_vec();
        bytes.truncate(16);
        bytes[6] = bytes[6] & 0x0f | 0x50;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let mut uuid = String::new();
        for (at, byte) in bytes.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                uuid.push('-');
            }
            uuid.push_str(&format!("{byte:02x}"));
        }
        Ok(Value::string(uuid))
    });

pub(crate) static SHUFFLE: Function = Function::counted(
    "shuffle",
    0,
    None,
    "Would return an array or the characters of a string in random order. The catalog of a node must not change from run to \
     run, so only what has at most one element is accepted; `fqdn_rotate` gives an order that stays the same on each node.",
    |call| {
        let count = match call.argument(0) {
            _ if call.arguments.is_empty() => {
                return Err(reject("shuffle(): Wrong number of arguments given (0 for 1)"));
            }
            Value::Array(values) => values.len(),
            Value::String(text) => text.chars().count(),
            _ => return Err(reject("shuffle(): Requires either array or string to work with")),
        };
        if count > 1 {
            return Err(fail(
                "shuffle(): the result would be different in each run; use fqdn_rotate(), whose result stays the same on a node",
            ));
        }
        Ok(call.argument(0).clone())
    },
);
