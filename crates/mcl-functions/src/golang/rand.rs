//! `golang/math/rand`: a different number at every evaluation.

use go_compat::rand;

use crate::args::Args;
use crate::golang::panicked;
use crate::table::{Outcome, ok, pure};
use crate::{Function, Plain};

const fn random(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    pure(name, signature, doc, plain).impure()
}

pub(crate) static FUNCTIONS: &[Function] = &[
    random("golang/math/rand.exp_float_64", "func() float", "Exponentially distributed, with rate 1.", |_, _| {
        ok(rand::exponential())
    }),
    random("golang/math/rand.float_64", "func() float", "At least 0 and less than 1.", |_, _| ok(rand::float64())),
    random("golang/math/rand.int", "func() int", "Any int that is not negative.", |_, _| ok(rand::int63())),
    random("golang/math/rand.int_63", "func() int", "Any int that is not negative.", |_, _| ok(rand::int63())),
    random("golang/math/rand.int_63_n", "func(n int) int", "At least 0 and less than n.", |_, args| {
        below(args.int(0)?, "Int63n")
    }),
    random("golang/math/rand.intn", "func(n int) int", "At least 0 and less than n.", |_, args| {
        below(args.int(0)?, "Intn")
    }),
    random("golang/math/rand.norm_float_64", "func() float", "Normally distributed around 0, deviation 1.", |_, _| {
        ok(rand::normal())
    }),
    random("golang/math/rand.read", "func(p str) int", "The length of the text: what is read is lost.", |_, args| {
        ok(i64::try_from(args.bytes(0)?.len()).unwrap_or(i64::MAX))
    }),
];

fn below(n: i64, function: &str) -> Outcome {
    rand::int63_below(n).map_or_else(|| panicked(format!("invalid argument to {function}")), ok)
}
