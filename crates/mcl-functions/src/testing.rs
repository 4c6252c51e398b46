//! `test`: functions that test function engines (spec 03 §5.19).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcl_value::Value;

use crate::args::Args;
use crate::table::{Outcome, fatal, ok, pure, streaming};
use crate::{Function, Stream, StreamContext};

/// Declares a function that fails at the second call in a process.
macro_rules! once {
    ($name:literal) => {
        pure($name, "func() str", "Returns `hello`; fails when it is called a second time.", |_, _| {
            static CALLED: AtomicBool = AtomicBool::new(false);
            if CALLED.swap(true, Ordering::Relaxed) { fatal("should not get called twice") } else { ok("hello") }
        })
        .impure()
        .not_inlinable()
    };
}

/// Declares a function of which there must be only one instance.
macro_rules! single {
    ($name:literal) => {
        streaming(
            $name,
            "func() str",
            "Returns `hello`. Tests use it to count the instances that an engine creates.",
            || Box::new(Hello),
        )
    };
}

pub(crate) static FUNCTIONS: &[Function] = &[
    streaming("test.fastcount", "func() int", "Counts as fast as the function engine can follow.", || {
        Box::new(FastCount(0))
    }),
    streaming(
        "test.forkvloop",
        "func() map{str: str}",
        "Returns `{\"foo\": \"bar\"}`. Updates every five seconds.",
        || Box::new(Periodic { first: true, value: |_| Value::map([("foo".into(), "bar".into())]) }),
    ),
    streaming("test.forloop", "func() []str", "Returns `[\"foo\"]`, and after five seconds `[\"bar\"]`.", || {
        Box::new(Periodic { first: true, value: |first| Value::list([if first { "foo" } else { "bar" }]) })
    }),
    single!("test.one_instance_a"),
    once!("test.one_instance_b"),
    single!("test.one_instance_c"),
    once!("test.one_instance_d"),
    single!("test.one_instance_e"),
    once!("test.one_instance_f"),
    single!("test.one_instance_g"),
    once!("test.one_instance_h"),
    streaming("test.one_stream", "func(count int) str", "Returns `count` times `x`. The count cannot change.", || {
        Box::new(OneStream(None))
    })
    .example("test.one_stream(3)"),
    Function {
        simple: true,
        ..streaming("test.slow_string", "func() str", "Returns a string after five seconds.", || {
            Box::new(SlowString(None))
        })
    },
];

struct FastCount(i64);

impl Stream for FastCount {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        let count = self.0;
        self.0 = self.0.wrapping_add(1);
        cx.wake_after(Duration::ZERO);
        ok(count)
    }
}

struct Periodic {
    first: bool,
    value: fn(bool) -> Value,
}

impl Stream for Periodic {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        cx.wake_after(Duration::from_secs(5));
        ok((self.value)(std::mem::take(&mut self.first)))
    }
}

struct Hello;

impl Stream for Hello {
    fn call(&mut self, _: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        ok("hello")
    }
}

struct OneStream(Option<i64>);

impl Stream for OneStream {
    fn call(&mut self, _: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let count = args.int(0)?;
        let Ok(copies) = usize::try_from(count) else { return fatal("cannot use a negative count") };
        let previous = *self.0.get_or_insert(count);
        if previous != count {
            return fatal(format!("you can only pass in a single input, got: {count}, previously: {previous}"));
        }
        if copies > crate::strings::MAX_LENGTH {
            return fatal(format!("can't repeat to more than {} bytes", crate::strings::MAX_LENGTH));
        }
        ok("x".repeat(copies))
    }
}

struct SlowString(Option<Duration>);

impl Stream for SlowString {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        let now = cx.now();
        let ready = *self.0.get_or_insert(now) + Duration::from_secs(5);
        if now >= ready {
            return ok("five seconds has elapsed");
        }
        cx.wake_after(ready - now);
        cx.not_ready("five seconds have not passed");
        ok("")
    }
}
