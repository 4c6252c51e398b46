//! What a service manager learns of the agent, by a socket that stands for that of systemd.

use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rustix::process::Signal;
use test_support::eventually;

use crate::support::{Agent, Scratch, bin};

const PROGRAM: &str = "file \"@/f\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n";

/// Starts an agent as a service manager does, with a watchdog that expects a sign of life every 40 ms.
fn start(scratch: &Scratch) -> Agent {
    scratch.build();
    // With `nohup`, as the tests may run, the agent would not reload.
    let mut shell = Command::new("env");
    shell
        .args(["--default-signal=HUP", "sh", "-c", "WATCHDOG_PID=$$ exec \"$0\" apply main.bin --prefix state"])
        .arg(bin().join("mgmt-rt"));
    shell.current_dir(scratch.path("")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.env("NOTIFY_SOCKET", scratch.path("notify")).env("WATCHDOG_USEC", "40000");
    Agent(shell.spawn().expect("a shell"))
}

#[test]
fn service_manager_learns_of_readiness_life_state_reloads_and_the_end() {
    let scratch = Scratch::new(PROGRAM);
    let socket = UnixDatagram::bind(scratch.path("notify")).expect("a socket");
    let received: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&received);
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length) = socket.recv(&mut buffer) {
            log.lock().expect("not poisoned").push(String::from_utf8_lossy(&buffer[..length]).into_owned());
        }
    });
    let all = || received.lock().expect("not poisoned").clone();
    let count = |wanted: &str| all().iter().filter(|message| message.lines().any(|line| line == wanted)).count();
    let mut agent = start(&scratch);
    eventually("it is ready", || count("READY=1") == 1);
    eventually("it is alive", || count("WATCHDOG=1") >= 5);
    eventually("its state is shown", || count("STATUS=1/1 resource converged") == 1);
    agent.signal(Signal::HUP);
    eventually("it reloads", || count("RELOADING=1") == 1);
    eventually("it is ready again", || count("READY=1") == 2);
    let messages = all();
    let reloading = messages.iter().find(|message| message.contains("RELOADING")).expect("it was received");
    assert!(reloading.contains("MONOTONIC_USEC="), "{reloading}");
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
    eventually("it stops", || count("STOPPING=1") >= 1);
}

#[test]
fn service_manager_that_does_not_read_does_not_stop_the_agent() {
    let scratch = Scratch::new(PROGRAM);
    let socket = UnixDatagram::bind(scratch.path("notify")).expect("a socket");
    let own = UnixDatagram::unbound().expect("a socket");
    own.set_nonblocking(true).expect("an own socket");
    while own.send_to(b"full", scratch.path("notify")).is_ok() {}
    let mut agent = start(&scratch);
    for _ in 0..10 {
        eventually("the file is there", || scratch.path("f").exists());
        std::fs::remove_file(scratch.path("f")).expect("it exists");
    }
    eventually("the file is there again", || scratch.path("f").exists());
    // Once it reads, it learns what it missed.
    let mut buffer = [0; 4096];
    let is_ready = |length: usize, buffer: &[u8]| buffer[..length].starts_with(b"READY=1");
    while !is_ready(socket.recv(&mut buffer).expect("a message"), &buffer) {}
    agent.signal(Signal::TERM);
    assert_eq!(agent.ends(), 0);
}
