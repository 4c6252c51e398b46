//! Package `math/rand`: numbers for which nobody needs a seed.

use std::cell::Cell;
use std::io::Read as _;

thread_local! {
    static STATE: Cell<u64> = Cell::new(seed());
}

fn seed() -> u64 {
    let mut bytes = [0; 8];
    match std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)) {
        Ok(()) => u64::from_ne_bytes(bytes),
        // These are not secrets: the time will do.
        Err(_) => std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |time| time.subsec_nanos().into()),
    }
}

/// The next number of a splitmix64 sequence.
pub(crate) fn random_u64() -> u64 {
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mut z = state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A number that is not negative.
#[must_use]
pub fn int63() -> i64 {
    (random_u64() >> 1).cast_signed()
}

/// A number that is at least 0 and less than 1.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn float64() -> f64 {
    (random_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A number that is at least 0 and less than `n`, each as likely; `None` unless `n` is positive.
#[must_use]
pub fn int63_below(n: i64) -> Option<i64> {
    if n <= 0 {
        return None;
    }
    // Numbers beyond the last multiple of n would make some results likelier.
    let limit = i64::MAX - i64::MAX % n;
    loop {
        let number = int63();
        if number < limit {
            return Some(number % n);
        }
    }
}

/// A number of the exponential distribution with rate 1.
#[must_use]
pub fn exponential() -> f64 {
    -libm::log(1.0 - float64())
}

/// A number of the normal distribution around 0 with deviation 1, by Box and Muller's method.
#[must_use]
pub fn normal() -> f64 {
    let radius = (-2.0 * libm::log(1.0 - float64())).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * float64())
}
