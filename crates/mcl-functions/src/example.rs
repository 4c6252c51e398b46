//! `example` and `example/nested`: functions for experiments (spec 03 §5.5).

use std::time::Duration;

use go_compat::strconv;
use mcl_value::Value;

use crate::args::Args;
use crate::table::{Outcome, fatal, ok, pure, streaming};
use crate::{Function, Stream, StreamContext};

pub(crate) static FUNCTIONS: &[Function] = &[
    pure("example.answer", "func() int", "Returns 42.", |_, _| ok(42)),
    pure("example.errorbool", "func(a bool) str", "Fails if the argument is true.", |_, args| {
        if args.bool(0)? { fatal("we errored on request") } else { ok("set input to true to generate an error") }
    })
    .impure()
    .not_inlinable()
    .example("example.errorbool(false)"),
    streaming(
        "example.flipflop",
        "func() bool",
        "Alternates between false and true. Updates every five seconds.",
        || Box::<Flipflop>::default(),
    ),
    pure("example.int2str", "func(a int) str", "Returns the integer in decimal.", |_, args| {
        ok(args.int(0)?.to_string())
    })
    .example(r#"example.int2str(42) == "42""#),
    pure("example.plus", "func(y str, z str) str", "Concatenates two strings.", |_, args| {
        ok([args.bytes(0)?, args.bytes(1)?].concat())
    })
    .example(r#"example.plus("a", "b") == "ab""#),
    pure("example.str2int", "func(a str) int", "Parses a decimal integer; anything else gives 0.", |_, args| {
        ok(strconv::parse_int(args.bytes(0)?, 10, 64).unwrap_or(0))
    })
    .example(r#"example.str2int("42") == 42"#),
    streaming(
        "example.vumeter",
        "func(symbol str, multiplier int, peak float) str",
        "Returns the volume at the microphone as a bar of symbols. Requires `rec` and `sox`.",
        || Box::<crate::vumeter::Vumeter>::default(),
    )
    .example(r#"example.vumeter("=", 10, 35.0)"#),
];

pub(crate) static NESTED: &[Function] =
    &[pure("example/nested.hello", "func() str", "Returns `Hello!`.", |_, _| ok("Hello!"))];

const PERIOD: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Flipflop {
    /// The time of the first call.
    start: Option<Duration>,
}

impl Stream for Flipflop {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        let now = cx.monotonic();
        let elapsed = now.saturating_sub(*self.start.get_or_insert(now));
        let periods = elapsed.as_secs() / PERIOD.as_secs();
        cx.wake_after(PERIOD * u32::try_from(periods + 1).unwrap_or(u32::MAX) - elapsed);
        ok(periods % 2 == 1)
    }
}
