//! `golang/math/rand`: each evaluation returns another number.

use std::cell::Cell;
use std::io::Read as _;

use go_compat::math;

use crate::args::Args;
use crate::golang::panicked;
use crate::table::{Outcome, ok, pure};
use crate::{Function, Plain};

const fn random(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    pure(name, signature, doc, plain).impure().of_machine()
}

pub(crate) static FUNCTIONS: &[Function] = &[
    random(
        "golang/math/rand.exp_float_64",
        "func() float",
        "Returns an exponentially distributed number with rate 1.",
        |_, _| ok(-math::log(1.0 - unit())),
    ),
    random("golang/math/rand.float_64", "func() float", "Returns a random number in [0, 1).", |_, _| ok(unit())),
    random(
        "golang/math/rand.int",
        "func() int",
        "Returns a random non-negative integer; programs call `int_63`, because `int` is a keyword.",
        |_, _| ok(int63()),
    )
    .example("rand.int_63()"),
    random("golang/math/rand.int_63", "func() int", "Returns a random non-negative integer.", |_, _| ok(int63())),
    random("golang/math/rand.int_63_n", "func(n int) int", "Returns a random integer in [0, n).", |_, args| {
        below(args.int(0)?, "Int63n")
    })
    .example("rand.int_63_n(100)"),
    random("golang/math/rand.intn", "func(n int) int", "Returns a random integer in [0, n).", |_, args| {
        below(args.int(0)?, "Intn")
    })
    .example("rand.intn(100)"),
    random(
        "golang/math/rand.norm_float_64",
        "func() float",
        "Returns a normally distributed number with mean 0 and standard deviation 1.",
        |_, _| {
            // The Box–Muller transform.
            let radius = (-2.0 * math::log(1.0 - unit())).sqrt();
            ok(radius * math::cos(2.0 * std::f64::consts::PI * unit()))
        },
    ),
    random(
        "golang/math/rand.read",
        "func(p str) int",
        "Returns the length of the string; the random bytes are lost.",
        |_, args| ok(i64::try_from(args.bytes(0)?.len()).unwrap_or(i64::MAX)),
    )
    .example(r#"rand.read("abc")"#),
];

thread_local! {
    static STATE: Cell<u64> = Cell::new(seed());
}

fn seed() -> u64 {
    let mut bytes = [0; 8];
    match std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)) {
        Ok(()) => u64::from_ne_bytes(bytes),
        // The numbers are not secret, so the time is good enough.
        Err(_) => std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |time| time.subsec_nanos().into()),
    }
}

/// Returns the next number of a splitmix64 sequence.
pub(super) fn random_u64() -> u64 {
    let state = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(state);
    let mut z = state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn int63() -> i64 {
    (random_u64() >> 1).cast_signed()
}

#[allow(clippy::cast_precision_loss)]
fn unit() -> f64 {
    (random_u64() >> 11) as f64 / (1u64 << 53) as f64
}

fn below(n: i64, function: &str) -> Outcome {
    if n <= 0 {
        return panicked(format!("invalid argument to {function}"));
    }
    // Numbers from the last multiple of n on would bias the result.
    let limit = i64::MAX - i64::MAX % n;
    loop {
        let number = int63();
        if number < limit {
            return ok(number % n);
        }
    }
}
