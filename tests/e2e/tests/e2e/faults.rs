//! Faults while the agent runs: each is reported and retried, ends when its cause ends, and leaves other resources alone.

use test_support::eventually;

use crate::machine::{Machine, NOBODY};

/// A program with a resource that retries without limit, and one without faults.
fn program(guarded: &str) -> String {
    format!(
        r#"import "os"
{guarded}
file "/srv/beside" {{
	state => "exists",
	content => os.readfile("/test/source"),
}}
"#
    )
}

/// Changes the source, and waits until the other resource has followed and the log contains `text`.
#[track_caller]
fn assert_reported_and_isolated(machine: &Machine, content: &str, text: &str) {
    machine.scratch.write("source", content);
    eventually("the other one follows", || machine.run(&["cat", "/srv/beside"]).out == content);
    eventually(&format!("the log contains {text:?}"), || machine.log().contains(text));
}

#[test]
fn vanished_owner_is_reported_and_used_once_back() {
    let program = program(
        r#"file "/srv/owned" {
	state => "exists",
	content => os.readfile("/test/source"),
	owner => "ghost",
	Meta:retry => -1,
	Meta:delay => 50,
}"#,
    );
    let Some(machine) = Machine::boot(&program) else { return };
    machine.scratch.write("source", "one");
    machine.must(&["useradd", "--uid", "4711", "ghost"]);
    machine.agent();
    let owned = |content: &str, owner: &str| {
        machine.run(&["cat", "/srv/owned"]).out == content
            && machine.run(&["stat", "--format=%U", "/srv/owned"]).out.trim() == owner
    };
    eventually("it is made", || owned("one", "ghost"));
    machine.must(&["userdel", "ghost"]);
    assert_reported_and_isolated(&machine, "two", "there is no user `ghost` on this machine");
    assert!(owned("one", "UNKNOWN"), "the old file is complete");
    machine.must(&["useradd", "--uid", "4712", "ghost"]);
    eventually("the owner is restored", || owned("two", "ghost"));
}

#[test]
fn read_only_file_system_is_reported_and_written_once_writable() {
    let program = program(
        r#"file "/srv/data/file" {
	state => "exists",
	content => os.readfile("/test/source"),
	Meta:retry => -1,
	Meta:delay => 50,
}"#,
    );
    let Some(machine) = Machine::boot(&program) else { return };
    machine.scratch.write("source", "one");
    machine.must(&["mkdir", "/srv/data"]);
    machine.must(&["mount", "-t", "tmpfs", "tmpfs", "/srv/data"]);
    machine.agent();
    let holds = |content: &str| machine.run(&["cat", "/srv/data/file"]).out == content;
    eventually("it is written", || holds("one"));
    machine.must(&["mount", "-o", "remount,ro", "/srv/data"]);
    assert_reported_and_isolated(&machine, "two", "read-only file system");
    assert!(holds("one"));
    machine.must(&["mount", "-o", "remount,rw", "/srv/data"]);
    eventually("it is written again", || holds("two"));
    assert_eq!(machine.must(&["ls", "-A", "/srv/data"]), "file\n", "nothing temporary is left");
}

#[test]
fn lost_permission_is_reported_and_used_once_back() {
    let program = r#"import "os"
file "/srv/own/file" {
	state => "exists",
	content => os.readfile("/test/source"),
	Meta:retry => -1,
	Meta:delay => 50,
}
file "/srv/other/beside" {
	state => "exists",
	content => os.readfile("/test/source"),
}
"#;
    let Some(machine) = Machine::boot(program) else { return };
    machine.scratch.write("source", "one");
    machine.agent_of_nobody(&["/srv/own", "/srv/other"]);
    let holds = |file: &str, content: &str| machine.run(&["cat", file]).out == content;
    eventually("it is written", || holds("/srv/own/file", "one"));
    machine.must(&["chown", "0:0", "/srv/own"]);
    machine.must(&["chmod", "0755", "/srv/own"]);
    machine.scratch.write("source", "two");
    eventually("the other one follows", || holds("/srv/other/beside", "two"));
    eventually("the fault is reported", || machine.log().contains("permission denied"));
    assert!(holds("/srv/own/file", "one"));
    machine.must(&["chown", NOBODY, "/srv/own"]);
    eventually("it is written again", || holds("/srv/own/file", "two"));
}

#[test]
fn lost_bus_is_reported_and_used_once_back() {
    // An ordinary user reaches systemd through the bus only, with read access, which is enough here.
    let program = r#"import "os"
svc "web" {
	state => "running",
	Meta:retry => -1,
	Meta:delay => 50,
}
file "/srv/own/beside" {
	state => "exists",
	content => os.readfile("/test/source"),
}
file "/srv/own/after" {
	state => "exists",
	content => os.readfile("/test/source"),
	Depend => Svc["web"],
}
"#;
    let Some(machine) = Machine::boot(program) else { return };
    machine.write("/etc/systemd/system/web.service", "[Service]\nExecStart=/bin/sleep infinity\n");
    machine.must(&["systemctl", "daemon-reload"]);
    machine.must(&["systemctl", "start", "web"]);
    machine.scratch.write("source", "one");
    machine.agent_of_nobody(&["/srv/own"]);
    let holds = |file: &str, content: &str| machine.run(&["cat", file]).out == content;
    eventually("all is done", || holds("/srv/own/after", "one"));
    machine.must(&["systemctl", "stop", "dbus.socket", "dbus.service"]);
    eventually("the fault is reported", || machine.log().contains("cannot reach the system bus"));
    machine.scratch.write("source", "two");
    eventually("the other one goes on", || holds("/srv/own/beside", "two"));
    machine.must(&["systemctl", "start", "dbus.socket", "dbus.service"]);
    eventually("what depends on it follows", || holds("/srv/own/after", "two"));
}
