//! `sys` and `sys/fwupd` (spec 03 §5.18).

use std::os::unix::ffi::OsStringExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use go_compat::os::path_error;
use mcl_value::Value;

use crate::args::Args;
use crate::golang::os::environment;
use crate::kernel_events::KernelEvents;
use crate::table::{Outcome, catchable, fatal, host, ok, streaming};
use crate::{Function, Stream, StreamContext};

pub(crate) static FUNCTIONS: &[Function] = &[
    streaming(
        "sys.cpu_count",
        "func() int",
        "Returns the number of processors that are online. Updates when it changes.",
        || Box::<CpuCount>::default(),
    ),
    host("sys.env", "func() map{str: str}", "Returns the environment variables.", |_, _| {
        let text = |text: std::ffi::OsString| Value::from(text.into_vec());
        ok(Value::map(std::env::vars_os().map(|(name, value)| (text(name), text(value)))))
    }),
    host(
        "sys.getenv",
        "func(0 str) str",
        "Returns an environment variable; an unset variable is a catchable error.",
        |_, args| match environment(args.bytes(0)?) {
            Some(value) => ok(value),
            None => catchable(format!("environment variable not set: {}", args.text(0)?)),
        },
    )
    .example(r#"sys.getenv("HOME") <|> "/root""#),
    host("sys.hasenv", "func(0 str) bool", "Returns whether an environment variable is set.", |_, args| {
        ok(environment(args.bytes(0)?).is_some())
    })
    .example(r#"sys.hasenv("HOME")"#),
    streaming("sys.hostname", "func() str", "Returns the host name of this machine. Updates when it changes.", || {
        Box::<Hostname>::default()
    }),
    streaming(
        "sys.load",
        "func() struct{x1 float; x5 float; x15 float}",
        "Returns the load averages of the last 1, 5 and 15 minutes. Updates every five seconds.",
        || Box::new(Load),
    ),
    streaming(
        "sys.uptime",
        "func() int",
        "Returns the number of seconds since this machine booted. Updates every second.",
        || Box::new(Uptime),
    ),
];

pub(crate) static FWUPD: &[Function] = &[streaming(
    "sys/fwupd.reboot_needed",
    "func() bool",
    "Returns whether a firmware update requires a reboot.",
    || Box::new(RebootNeeded),
)];

#[derive(Default)]
struct CpuCount(Option<KernelEvents>);

impl Stream for CpuCount {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        const ONLINE: &str = "/sys/devices/system/cpu/online";
        // In a container without kernel events, the count is still available.
        let _ = KernelEvents::processors(&mut self.0, cx);
        match std::fs::read_to_string(ONLINE) {
            Err(error) => fatal(format!("could not get CPU count: {}", path_error(ONLINE, &error))),
            Ok(text) => match count_cpus(text.trim()) {
                Some(count) => ok(count),
                None => fatal(format!("could not get CPU count: unexpected content `{}`", text.trim())),
            },
        }
    }
}

/// Counts the processors of a list such as `0-3,5`, which has 5.
fn count_cpus(text: &str) -> Option<i64> {
    let part = |part: &str| match part.split_once('-') {
        None => Some(1),
        Some((first, last)) => Some(last.parse::<i64>().ok()?.checked_sub(first.parse().ok()?)?.checked_add(1)?),
    };
    text.split(',').map(part).sum()
}

#[derive(Default)]
struct Hostname(Option<KernelEvents>);

impl Stream for Hostname {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        KernelEvents::hostname(&mut self.0, cx)?;
        ok(rustix::system::uname().nodename().to_bytes())
    }
}

struct Load;

impl Stream for Load {
    #[allow(clippy::cast_precision_loss)]
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        cx.wake_after(Duration::from_secs(5));
        let loads = rustix::system::sysinfo().loads.map(|load| Value::Float(load as f64 / 65536.0));
        ok(Value::strukt(["x1", "x5", "x15"].into_iter().zip(loads)))
    }
}

struct Uptime;

impl Stream for Uptime {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        cx.wake_after(Duration::from_secs(1));
        ok(rustix::system::sysinfo().uptime)
    }
}

/// Asks the daemon every five minutes, if it is installed.
struct RebootNeeded;

impl Stream for RebootNeeded {
    fn call(&mut self, cx: &mut dyn StreamContext, _: &[Value]) -> Outcome {
        cx.wake_after(Duration::from_secs(300));
        let daemon = std::path::Path::new("/usr/share/dbus-1/system-services/org.freedesktop.fwupd.service");
        if !daemon.exists() || !std::path::Path::new("/run/dbus/system_bus_socket").exists() {
            return ok(false);
        }
        let name = "org.freedesktop.fwupd";
        let answer = Command::new("busctl")
            .args(["--system", "--json=short", "--timeout=2", "call", name, "/", name, "GetDevices"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        match answer {
            // A device that requires a reboot has the property `UpdateState` with the value 4.
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout);
                ok(text.contains(r#""UpdateState":{"type":"u","data":4}"#))
            }
            Err(_) => ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted() {
        for (text, count) in [("0-3,5", Some(5)), ("0", Some(1)), ("0-1,4-7", Some(6)), ("a-b", None)] {
            assert_eq!(count_cpus(text), count);
        }
    }
}
