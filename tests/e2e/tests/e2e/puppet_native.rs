//! Puppet manifests that are evaluated on the host.

use std::process::Stdio;

use test_support::eventually;

use crate::support::{Agent, Scratch};

const SITE: &str = "class web {\n  file { '@/page':\n    ensure  => file,\n    content => \"${facts['role']}: ${file('@/source')}\",\n  }\n}\ninclude web\n";

/// A directory with an environment and its artifact.
fn environment() -> Scratch {
    let scratch = Scratch::new("noop \"puppet_web\" {}\n");
    std::fs::create_dir_all(scratch.path("env/manifests")).expect("the scratch directory is writable");
    scratch.write("env/manifests/site.pp", SITE);
    scratch.write("facts.json", r#"{"role": "first"}"#);
    scratch.write("source", "one\n");
    let ran = scratch.run("mclc", &["puppet", "env", "-o", "site.bin"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    std::fs::remove_dir_all(scratch.path("env")).expect("the scratch directory is writable");
    scratch
}

#[test]
fn an_environment_is_applied_with_the_facts_of_the_host() {
    let scratch = environment();
    let args = ["apply", "--puppet", "site.bin", "--facts", "facts.json", "--once", "--prefix", "state"];
    let ran = scratch.run("mgmt-rt", &args);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("page").as_deref(), Some("first: one\n"));
    let plan = scratch.run("mgmt-rt", &["plan", "--puppet", "site.bin", "--facts", "facts.json"]);
    assert_eq!(plan.status, 0, "{}{}", plan.out, plan.err);
}

#[test]
fn an_environment_is_evaluated_again_when_its_inputs_change() {
    let scratch = environment();
    let args = ["apply", "--puppet", "site.bin", "--facts", "facts.json", "--prefix", "state"];
    let mut command = scratch.command("mgmt-rt", &args);
    let _agent = Agent(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool starts"));
    eventually("the page is made", || scratch.read("page").as_deref() == Some("first: one\n"));
    scratch.write("facts.json", r#"{"role": "second"}"#);
    eventually("the page follows a fact", || scratch.read("page").as_deref() == Some("second: one\n"));
    scratch.write("source", "two\n");
    eventually("the page follows a file", || scratch.read("page").as_deref() == Some("second: two\n"));
}

#[test]
fn errors_of_an_environment_say_where_they_are() {
    let scratch = environment();
    scratch.write("facts.json", "{}");
    std::fs::remove_file(scratch.path("source")).expect("it exists");
    let ran = scratch.run("mgmt-rt", &["graph", "--puppet", "site.bin", "--facts", "facts.json"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("manifests/site.pp:4:"), "{}", ran.err);
    scratch.write("facts.json", "[]");
    let ran = scratch.run("mgmt-rt", &["graph", "--puppet", "site.bin", "--facts", "facts.json"]);
    assert!(ran.status == 1 && ran.err.contains("P0702"), "{}{}", ran.out, ran.err);
}
