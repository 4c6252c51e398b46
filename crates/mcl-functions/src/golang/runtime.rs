//! `golang/runtime`. There is no Go runtime: the functions return what is meaningful without one.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::args::Args;
use crate::golang::os::environment;
use crate::golang::panicked;
use crate::table::{fatal, host, ok};
use crate::{Function, Plain};

const fn fact(name: &'static str, signature: &'static str, doc: &'static str, plain: Plain) -> Function {
    Function { inlinable: true, ..host(name, signature, doc, plain) }
}

pub(crate) static FUNCTIONS: &[Function] = &[
    fact("golang/runtime.cpu_profile", "func() str", "Fails: Go no longer supports it.", |_, _| {
        panicked("CPUProfile no longer available")
    }),
    fact(
        "golang/runtime.gomaxprocs",
        "func(n int) int",
        "Sets the maximum number of threads and returns the previous value; n < 1 does not change it.",
        |_, args| {
            static LIMIT: AtomicI64 = AtomicI64::new(0);
            let n = args.int(0)?;
            let old = if n >= 1 { LIMIT.swap(n, Ordering::Relaxed) } else { LIMIT.load(Ordering::Relaxed) };
            ok(if old == 0 { cpus() } else { old })
        },
    )
    .impure()
    .example("runtime.gomaxprocs(0)"),
    fact("golang/runtime.goroot", "func() str", "Returns `$GOROOT`; empty if it is not set.", |_, _| {
        ok(environment(b"GOROOT").unwrap_or_default())
    }),
    fact("golang/runtime.num_cgo_call", "func() int", "Returns 0: there are no calls from Go to C.", |_, _| ok(0)),
    fact(
        "golang/runtime.num_cpu",
        "func() int",
        "Returns the number of processors that the process can use.",
        |_, _| ok(cpus()),
    ),
    fact("golang/runtime.num_goroutine", "func() int", "Returns 1: there are no goroutines.", |_, _| ok(1)),
    fact("golang/runtime.read_trace", "func() str", "Fails: tracing is not available.", |_, _| {
        fatal("tracing is not available")
    }),
    fact(
        "golang/runtime.set_mutex_profile_fraction",
        "func(rate int) int",
        "Returns 0: there is no mutex profile.",
        |_, args| {
            args.int(0)?;
            ok(0)
        },
    )
    .example("runtime.set_mutex_profile_fraction(0)"),
    fact("golang/runtime.stack", "func(buf str, all bool) int", "Returns 0: there is no Go stack trace.", |_, args| {
        args.bytes(0)?;
        args.bool(1)?;
        ok(0)
    })
    .example(r#"runtime.stack("", false)"#),
    fact(
        "golang/runtime.version",
        "func() str",
        "Returns the Go version whose standard library is reproduced.",
        |_, _| ok("go1.25.7"),
    ),
];

fn cpus() -> i64 {
    std::thread::available_parallelism().map_or(1, |count| i64::try_from(count.get()).unwrap_or(1))
}
