//! Tests against a real message bus on a private socket.

use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use crate::bus::*;
use crate::process::find_program;
use crate::{Cancel, CancelLevel};

/// A bus whose socket is in a scratch directory.
struct Daemon {
    scratch: tempfile::TempDir,
    child: Option<Child>,
}

impl Daemon {
    /// Returns `None` where `dbus-daemon` is not installed; `.ci/run` requires it.
    fn new() -> Option<Daemon> {
        if find_program("dbus-daemon").is_none() {
            assert!(std::env::var_os("MCL_SKIP_NOTHING").is_none(), "dbus-daemon (package `dbus`) is not installed");
            eprintln!("skipped: dbus-daemon is not installed");
            return None;
        }
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let config = "<busconfig><type>session</type><listen>unix:dir=/nowhere</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/>\
             <allow own=\"*\"/></policy></busconfig>";
        std::fs::write(scratch.path().join("config"), config).expect("writable");
        Some(Daemon { scratch, child: None })
    }

    fn address(&self) -> String {
        format!("unix:path={}", self.scratch.path().join("bus").display())
    }

    fn start(&mut self) {
        let _ = std::fs::remove_file(self.scratch.path().join("bus"));
        let child = Command::new(find_program("dbus-daemon").expect("checked in `new`"))
            .args(["--nofork", "--nopidfile", "--address", &self.address()])
            .arg(format!("--config-file={}", self.scratch.path().join("config").display()))
            .stdin(Stdio::null())
            .spawn();
        self.child = Some(child.expect("the bus starts"));
        let end = Instant::now() + Duration::from_secs(20);
        while std::os::unix::net::UnixStream::connect(self.scratch.path().join("bus")).is_err() {
            assert!(Instant::now() < end, "the bus does not come up");
            std::thread::yield_now();
        }
    }

    fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.stop();
    }
}

const NAMES: MatchRule =
    MatchRule { service: DBUS.service, interface: DBUS.interface, path_namespace: DBUS.path, subscribe_method: None };

#[test]
fn calls_return_replies_and_named_errors() {
    let Some(mut daemon) = Daemon::new() else { return };
    daemon.start();
    let bus = Bus::at_address(&daemon.address());
    let cancel = Cancel::new();
    let names: Vec<String> = bus.query(DBUS, "ListNames", &(), &cancel).expect("the bus replies");
    assert!(names.iter().any(|name| name == DBUS.service), "{names:?}");
    let missing = Object { service: "org.example.Nobody", ..DBUS };
    let error = bus.call(missing, "Ping", &(), &cancel).expect_err("no service has this name");
    assert!(error.is_named("org.freedesktop.DBus.Error.ServiceUnknown"), "{error:?}");
    assert!(!bus.is_available("org.example.Nobody", &cancel).expect("the bus replies"));
    assert!(bus.is_available(DBUS.service, &cancel).expect("the bus replies"));
}

#[test]
fn the_error_without_a_bus_has_its_address() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("bus");
    let bus = Bus::at_address(&format!("unix:path={}", path.display()));
    let error = bus.call(DBUS, "ListNames", &(), &Cancel::new()).expect_err("there is no bus").to_string();
    assert_eq!(error, format!("cannot reach the bus at unix:path={}: no such file or directory", path.display()));
}

#[test]
fn a_restarted_bus_is_reconnected_and_subscribers_are_notified() {
    let Some(mut daemon) = Daemon::new() else { return };
    daemon.start();
    let bus = Bus::at_address(&daemon.address());
    let (sender, received) = channel();
    let subscription = bus.subscribe(NAMES, move |message| {
        let _ = sender.send(message.and_then(|m| m.header().member().map(|name| name.to_string())));
    });
    let cancel = Cancel::new();
    // Skips signals about the connections of this test.
    let wait_for_signal = |expected: Option<&str>| {
        let timeout = Duration::from_secs(20);
        while received.recv_timeout(timeout).expect("the signal arrives").as_deref() != expected {}
    };
    for _ in 0..2 {
        bus.wait_until_active(&subscription, &cancel).expect("the rule is registered");
        // Signals before the registration may have been lost.
        wait_for_signal(None);
        // The bus announces the name of a new connection.
        let other = Bus::at_address(&daemon.address());
        let _: Vec<String> = other.query(DBUS, "ListNames", &(), &cancel).expect("the bus replies");
        wait_for_signal(Some("NameOwnerChanged"));
        daemon.stop();
        wait_for_signal(None);
        let error = bus.call(DBUS, "ListNames", &(), &cancel).expect_err("the bus is gone");
        assert!(matches!(error, BusError::Unreachable(_)), "{error:?}");
        daemon.start();
        bus.call(DBUS, "ListNames", &(), &cancel).expect("the bus is back");
    }
    drop(subscription);
}

#[test]
fn a_call_without_a_reply_can_be_cancelled() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("bus");
    // Accepts connections and never replies.
    let _silent = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    let bus = Bus::at_address(&format!("unix:path={}", path.display()));
    let cancel = Cancel::new();
    let canceller = {
        let cancel = std::sync::Arc::clone(&cancel);
        std::thread::spawn(move || cancel.request(CancelLevel::Cancel))
    };
    let error = bus.call(DBUS, "ListNames", &(), &cancel).expect_err("nothing replies");
    assert!(matches!(error, BusError::Cancelled), "{error:?}");
    canceller.join().expect("it ends");
}
