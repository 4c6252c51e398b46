//! Against a real message bus on a socket of its own.

use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::*;
use crate::Cancel;
use crate::tool::find;

/// A bus below a scratch directory.
struct Daemon {
    scratch: tempfile::TempDir,
    child: Option<Child>,
}

impl Daemon {
    /// `None` where none is installed; in the checks of every change (`.ci/run`) one is.
    fn new() -> Option<Daemon> {
        if find("dbus-daemon").is_none() {
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
        let child = Command::new(find("dbus-daemon").expect("looked for above"))
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

const NAMES: Rule = Rule { service: DBUS.service, interface: DBUS.interface, below: DBUS.path, opening: None };

#[test]
fn calls_are_answered_and_refusals_have_a_name() {
    let Some(mut daemon) = Daemon::new() else { return };
    daemon.start();
    let bus = Bus::at_address(&daemon.address());
    let cancel = Cancel::new();
    let names: Vec<String> = bus.ask(DBUS, "ListNames", &(), &cancel).expect("the bus answers");
    assert!(names.iter().any(|name| name == DBUS.service), "{names:?}");
    let nobody = Object { service: "org.example.Nobody", ..DBUS };
    let error = bus.call(nobody, "Ping", &(), &cancel).expect_err("nobody has that name");
    assert!(error.is_named("org.freedesktop.DBus.Error.ServiceUnknown"), "{error:?}");
    assert!(!bus.has("org.example.Nobody", &cancel).expect("the bus answers"));
    assert!(bus.has(DBUS.service, &cancel).expect("the bus answers"));
}

#[test]
fn without_a_bus_the_error_says_where_it_should_be() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("bus");
    let bus = Bus::at_address(&format!("unix:path={}", path.display()));
    let error = bus.call(DBUS, "ListNames", &(), &Cancel::new()).expect_err("there is no bus").to_string();
    assert_eq!(error, format!("cannot reach the bus at unix:path={}: no such file or directory", path.display()));
}

#[test]
fn a_restarted_bus_is_found_again_and_listeners_are_told() {
    let Some(mut daemon) = Daemon::new() else { return };
    daemon.start();
    let bus = Bus::at_address(&daemon.address());
    let (sender, heard) = channel();
    let listening = bus.listen(NAMES, move |message| {
        let _ = sender.send(message.and_then(|m| m.header().member().map(|name| name.to_string())));
    });
    let cancel = Cancel::new();
    // Signals of the bus about ourselves come in between.
    let hear = |wanted: Option<&str>| {
        let patience = Duration::from_secs(20);
        while heard.recv_timeout(patience).expect("it is heard").as_deref() != wanted {}
    };
    for _ in 0..2 {
        bus.await_listening(&listening, &cancel).expect("the bus takes the wish");
        // Something may have been missed before.
        hear(None);
        // Another connection comes: its name is announced.
        let other = Bus::at_address(&daemon.address());
        let _: Vec<String> = other.ask(DBUS, "ListNames", &(), &cancel).expect("the bus answers");
        hear(Some("NameOwnerChanged"));
        daemon.stop();
        hear(None);
        let error = bus.call(DBUS, "ListNames", &(), &cancel).expect_err("the bus is gone");
        assert!(matches!(error, BusError::Unreachable(_)), "{error:?}");
        daemon.start();
        bus.call(DBUS, "ListNames", &(), &cancel).expect("the bus is there again");
    }
    drop(listening);
}

#[test]
fn a_service_that_does_not_answer_is_not_waited_for_forever() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let path = scratch.path().join("bus");
    // Takes the connection and says nothing.
    let _mute = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    let bus = Bus::at_address(&format!("unix:path={}", path.display()));
    let cancel = Cancel::new();
    let canceller = {
        let cancel = std::sync::Arc::clone(&cancel);
        std::thread::spawn(move || cancel.request(crate::CancelLevel::Cancel))
    };
    let error = bus.call(DBUS, "ListNames", &(), &cancel).expect_err("nobody answers");
    assert!(matches!(error, BusError::Cancelled), "{error:?}");
    canceller.join().expect("it ends");
}
