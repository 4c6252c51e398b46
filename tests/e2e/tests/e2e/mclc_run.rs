//! `mclc run`: builds a program and replaces itself by the runtime.

use std::process::Stdio;

use rustix::process::Signal;

use test_support::eventually;

use crate::support::{Agent, Scratch};

const FILE: &str = "file \"@/out\" {\n\tstate => \"exists\",\n\tcontent => \"hi\\n\",\n}\n";

#[test]
fn program_is_applied_and_leaves_no_artifact() {
    let scratch = Scratch::new(FILE);
    let ran = scratch.run("mclc", &["run", "main.mcl", "--", "--once", "--prefix", "state"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("out").as_deref(), Some("hi\n"));
    assert!(!scratch.path("main.bin").exists());
}

#[test]
fn invalid_program_is_not_applied() {
    let scratch = Scratch::new(&format!("{FILE}$x = 1 + \"a\"\ntest \"x\" {{ int64 => $x, }}\n"));
    let ran = scratch.run("mclc", &["run", "main.mcl", "--", "--once", "--prefix", "state"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("out"), None);
}

#[test]
fn exit_status_is_that_of_the_runtime() {
    let scratch = Scratch::new("exec \"fails\" {\n\tcmd => \"/bin/false\",\n}\n");
    let run = scratch.run("mclc", &["run", "main.mcl", "--", "--once", "--prefix", "state"]);
    let apply = scratch.apply_once(&[]);
    assert_ne!(run.status, 0, "{}{}", run.out, run.err);
    assert_eq!(run.status, apply.status);
}

#[test]
fn interrupt_ends_the_runtime() {
    let scratch = Scratch::new(FILE);
    let mut command = scratch.command("mclc", &["run", "main.mcl", "--", "--prefix", "state"]);
    let mut agent = Agent(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool starts"));
    eventually("the file is made", || scratch.read("out").as_deref() == Some("hi\n"));
    agent.signal(Signal::INT);
    assert_eq!(agent.ends(), 0);
}
