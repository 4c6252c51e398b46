//! `golang/runtime`. There is no Go run time here, so these answer what a program can sensibly ask.

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
    fact("golang/runtime.cpu_profile", "func() str", "Fails: it no longer exists in Go.", |_, _| {
        panicked("CPUProfile no longer available")
    }),
    fact("golang/runtime.gomaxprocs", "func(n int) int", "The number of threads before it is set to n.", |_, args| {
        static LIMIT: AtomicI64 = AtomicI64::new(0);
        let n = args.int(0)?;
        let old = if n >= 1 { LIMIT.swap(n, Ordering::Relaxed) } else { LIMIT.load(Ordering::Relaxed) };
        ok(if old == 0 { cpus() } else { old })
    })
    .impure(),
    fact("golang/runtime.goroot", "func() str", "`$GOROOT`, empty if it is not set.", |_, _| {
        ok(environment(b"GOROOT").unwrap_or_default())
    }),
    fact("golang/runtime.num_cgo_call", "func() int", "0: there are no calls from Go to C.", |_, _| ok(0)),
    fact("golang/runtime.num_cpu", "func() int", "Processors that the process may use.", |_, _| ok(cpus())),
    fact("golang/runtime.num_goroutine", "func() int", "1: there are no goroutines.", |_, _| ok(1)),
    fact("golang/runtime.read_trace", "func() str", "Fails: there is no trace to read.", |_, _| {
        fatal("tracing is not available")
    }),
    fact("golang/runtime.set_mutex_profile_fraction", "func(rate int) int", "0: nothing is profiled.", |_, args| {
        args.int(0)?;
        ok(0)
    }),
    fact("golang/runtime.stack", "func(buf str, all bool) int", "0: there is no Go stack to print.", |_, args| {
        args.bytes(0)?;
        args.bool(1)?;
        ok(0)
    }),
    fact("golang/runtime.version", "func() str", "The Go version whose library is reproduced.", |_, _| ok("go1.25.7")),
];

fn cpus() -> i64 {
    std::thread::available_parallelism().map_or(1, |count| i64::try_from(count.get()).unwrap_or(1))
}
