//! An mcl program and a Puppet catalog, merged to one graph.

use std::path::Path;

use test_support::eventually;

use crate::machine::skip;
use crate::support::Scratch;

const PROGRAM: &str = r#"
noop "puppet_mid" {}
file "@/mcl" {
	state => "exists",
	Depend => Noop["puppet_mid"],
}
"#;

/// Returns a catalog with a file before the merge point `mgmt_mid`.
fn catalog(content: &str) -> String {
    r#"{"name":"test","catalog_format":2,"resources":[
  {"type":"Stage","title":"main","kind":"compilable_type"},
  {"type":"Class","title":"main","kind":"unknown"},
  {"type":"Class","title":"Mgmt_mid","kind":"unknown"},
  {"type":"File","title":"@/puppet","file":"site.pp","line":1,"kind":"compilable_type",
   "parameters":{"ensure":"file","content":"CONTENT","before":["Class[Mgmt_mid]"]}}],
 "edges":[{"source":"Stage[main]","target":"Class[main]"},{"source":"Stage[main]","target":"Class[Mgmt_mid]"},
  {"source":"Class[main]","target":"File[@/puppet]"}]}"#
        .replace("CONTENT", content)
}

#[test]
fn mcl_and_puppet_are_one_graph() {
    let scratch = Scratch::new(PROGRAM);
    scratch.write("catalog.json", &catalog("one"));
    scratch.build();
    let graph = scratch.run("mgmt-rt", &["graph", "main.bin", "--puppet", "catalog.json", "--format", "json"]);
    assert_eq!(graph.status, 0, "{}", graph.err);
    let graph: serde_json::Value = serde_json::from_str(&graph.out).expect("JSON");
    let ends = |e: &serde_json::Value| (e["from"]["name"].clone(), e["to"]["name"].clone());
    let edges: Vec<_> = graph["edges"].as_array().expect("edges").iter().map(ends).collect();
    let path = |name: &str| serde_json::Value::from(scratch.path(name).display().to_string());
    assert!(edges.contains(&(path("puppet"), "mid".into())), "{edges:?}");
    assert!(edges.contains(&("mid".into(), path("mcl"))), "{edges:?}");
    let once = scratch.apply_once(&["--puppet", "catalog.json"]);
    assert_eq!(once.status, 0, "{}{}", once.out, once.err);
    assert_eq!(scratch.read("puppet").as_deref(), Some("one"));
    assert!(scratch.path("mcl").exists());
}

/// A program whose command runs on a refresh from Puppet and then refreshes Puppet again.
const REFRESHED_PROGRAM: &str = r#"
noop "puppet_n_begin" {}
noop "puppet_n_end" {}
exec "mcl" {
	cmd => "echo mcl >> @/log",
	shell => "/bin/sh",
	refreshonly => true,

	Listen => Noop["puppet_n_begin"],
	Notify => Noop["puppet_n_end"],
}
"#;

/// Returns a catalog in which `base`, a class with a file, notifies one merge point directly and through an anchor and a class
/// that contains it, and another merge point notifies a class with a command.
fn refreshing_catalog(content: &str) -> String {
    r#"{"name":"test","catalog_format":2,"resources":[
  {"type":"Stage","title":"main","kind":"compilable_type"},
  {"type":"Class","title":"main","kind":"unknown"},
  {"type":"Class","title":"Base","kind":"unknown","parameters":{"notify":["Anchor[base::end]"]}},
  {"type":"Anchor","title":"base::end","kind":"compilable_type","parameters":{"notify":["Class[Outer]"]}},
  {"type":"Class","title":"Outer","kind":"unknown"},
  {"type":"Class","title":"Mgmt_n_begin","kind":"unknown"},
  {"type":"Class","title":"Mgmt_n_end","kind":"unknown","parameters":{"notify":["Class[After]"]}},
  {"type":"Class","title":"After","kind":"unknown"},
  {"type":"File","title":"@/base","kind":"compilable_type","parameters":{"ensure":"file","content":"CONTENT"}},
  {"type":"Exec","title":"after","kind":"compilable_type",
   "parameters":{"command":"/bin/sh -c 'echo puppet >> @/log'","provider":"shell","refreshonly":true}}],
 "edges":[{"source":"Stage[main]","target":"Class[main]"},{"source":"Stage[main]","target":"Class[Base]"},
  {"source":"Stage[main]","target":"Class[Outer]"},{"source":"Class[Outer]","target":"Class[Mgmt_n_begin]"},
  {"source":"Stage[main]","target":"Class[Mgmt_n_end]"},{"source":"Stage[main]","target":"Class[After]"},
  {"source":"Class[main]","target":"Anchor[base::end]"},
  {"source":"Class[Base]","target":"File[@/base]"},{"source":"Class[After]","target":"Exec[after]"}]}"#
        .replace("CONTENT", content)
}

#[test]
fn refresh_crosses_merge_points_in_both_directions() {
    let scratch = Scratch::new(REFRESHED_PROGRAM);
    scratch.write("catalog.json", &refreshing_catalog("one"));
    scratch.build();
    let mut runs = String::new();
    for content in ["one", "two"] {
        scratch.write("catalog.json", &refreshing_catalog(content));
        let changed = scratch.apply_once(&["--puppet", "catalog.json"]);
        assert_eq!(changed.status, 0, "{}{}", changed.out, changed.err);
        runs += "mcl\npuppet\n";
        assert_eq!(scratch.read("log").as_deref(), Some(&*runs), "{}{}", changed.out, changed.err);
        let unchanged = scratch.apply_once(&["--puppet", "catalog.json"]);
        assert_eq!(unchanged.status, 0, "{}{}", unchanged.out, unchanged.err);
        assert_eq!(scratch.read("log").as_deref(), Some(&*runs), "nothing changed, so nothing is refreshed");
    }
}

#[test]
fn refresh_across_a_merge_point_survives_the_end_of_the_agent() {
    let failing = "echo mcl >> @/log";
    let scratch = Scratch::new(&REFRESHED_PROGRAM.replace(failing, "test -e @/ready && echo mcl >> @/log"));
    scratch.write("catalog.json", &refreshing_catalog("one"));
    let failed = scratch.apply_once(&["--puppet", "catalog.json"]);
    assert_eq!(failed.status, 1, "{}{}", failed.out, failed.err);
    assert_eq!(scratch.read("base").as_deref(), Some("one"));
    scratch.write("ready", "");
    // Nothing changes now, but what the first run changed is still owed.
    let owed = scratch.apply_once(&["--puppet", "catalog.json"]);
    assert_eq!(owed.status, 0, "{}{}", owed.out, owed.err);
    assert_eq!(scratch.read("log").as_deref(), Some("mcl\npuppet\n"), "{}{}", owed.out, owed.err);
    scratch.apply_once(&["--puppet", "catalog.json"]);
    assert_eq!(scratch.read("log").as_deref(), Some("mcl\npuppet\n"), "it is delivered once");
}

#[test]
fn changed_catalog_is_applied_and_invalid_one_keeps_the_last_graph() {
    let scratch = Scratch::new(PROGRAM);
    scratch.write("catalog.json", &catalog("one"));
    scratch.build();
    let _agent = scratch.apply(&["--puppet", "catalog.json"]);
    eventually("the first catalog is applied", || scratch.read("puppet").as_deref() == Some("one"));
    scratch.write("catalog.json", &catalog("two"));
    eventually("the second catalog is applied", || scratch.read("puppet").as_deref() == Some("two"));
    scratch.write("catalog.json", "{ broken");
    std::fs::remove_file(scratch.path("puppet")).expect("it exists");
    eventually("the last valid graph is kept", || scratch.read("puppet").as_deref() == Some("two"));
    scratch.write("catalog.json", &catalog("three"));
    eventually("the repaired catalog is applied", || scratch.read("puppet").as_deref() == Some("three"));
}

#[test]
fn puppet_catalog_is_applied_without_mcl() {
    let scratch = Scratch::new("");
    scratch.write("catalog.json", &catalog("alone").replace("Mgmt_mid", "Other"));
    let ran = scratch.run("mgmt-rt", &["apply", "--puppet", "catalog.json", "--once", "--prefix", "state"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("puppet").as_deref(), Some("alone"));
}

#[test]
fn translated_catalog_gives_the_same_graph() {
    let scratch = Scratch::new(PROGRAM);
    scratch.write("catalog.json", &catalog("one"));
    scratch.build();
    assert_eq!(scratch.run("mclc", &["puppet", "catalog.json", "-o", "puppet.bin"]).status, 0);
    let graph = |puppet: &str| {
        let ran = scratch.run("mgmt-rt", &["graph", "main.bin", "--puppet", puppet, "--format", "json"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.out
    };
    assert_eq!(graph("puppet.bin"), graph("catalog.json"));
}

#[test]
fn invalid_merge_point_is_reported_before_anything_is_applied() {
    let scratch = Scratch::new("noop \"puppet_midd\" {}\n");
    scratch.write("catalog.json", &catalog("one"));
    scratch.build();
    let ran = scratch.apply_once(&["--puppet", "catalog.json"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("M0101") && ran.err.contains("main.mcl:1"), "{}", ran.err);
    assert!(!scratch.path("puppet").exists());
}

#[test]
fn quickstart_runs() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quickstart");
    let scratch = Scratch::new("");
    std::fs::copy(example.join("main.mcl"), scratch.path("main.mcl")).expect("the example exists");
    let catalog = std::fs::read_to_string(example.join("puppet/catalog.json")).expect("the example exists");
    scratch.write("catalog.json", &catalog.replace("/SCRATCH", "@/machine"));
    std::fs::create_dir(scratch.path("machine")).expect("writable");
    scratch.build();
    let apply = || {
        let args = ["apply", "main.bin", "--puppet", "catalog.json", "--once", "--prefix", "state"];
        let mut command = scratch.command("mgmt-rt", &args);
        command.env("QUICKSTART_ROOT", scratch.path("machine"));
        crate::support::ran(command.output().expect("the tool starts"))
    };
    let first = apply();
    assert_eq!(first.status, 0, "{}{}", first.out, first.err);
    for made in ["etc/chrony.conf", "chrony-restarted", "pool/.formatted", "jvm/lts.conf", "pool/app.jar"] {
        assert!(scratch.path("machine").join(made).exists(), "{made} is made: {}{}", first.out, first.err);
    }
    std::fs::remove_file(scratch.path("machine/chrony-restarted")).expect("it exists");
    assert_eq!(apply().status, 0);
    assert!(!scratch.path("machine/chrony-restarted").exists(), "nothing changed, so nothing is refreshed");
}

#[test]
fn check_reports_invalid_merge_points() {
    let scratch = Scratch::new("noop \"puppet_midd\" {}\n");
    scratch.write("catalog.json", &catalog("one"));
    let wrong = scratch.run("mclc", &["check", "main.mcl", "--puppet", "catalog.json", "--format", "short"]);
    assert_eq!(wrong.status, 1, "{}", wrong.out);
    assert!(wrong.out.contains("main.mcl:1:1: error[M0101]"), "{}", wrong.out);
    scratch.write("main.mcl", PROGRAM);
    let right = scratch.run("mclc", &["check", "main.mcl", "--puppet", "catalog.json"]);
    assert_eq!(right.status, 0, "{}", right.out);
    scratch.write(
        "main.mcl",
        "noop \"puppet_mid\" {}\nfile \"@/puppet\" {\n\tstate => \"exists\",\n\tcontent => \"other\",\n}\n",
    );
    let twice = scratch.run("mclc", &["check", "main.mcl", "--puppet", "catalog.json", "--format", "short"]);
    assert!(twice.out.contains("main.mcl:2:1: error[M0106]"), "{}", twice.out);
}

/// Returns the relationship graph of a file of the quick start.
fn relationships_of_example(scratch: &Scratch, name: &str, options: &[&str]) -> String {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quickstart/puppet");
    let path = example.join(name).display().to_string();
    let mut args = vec!["puppet", &path, "--node", "quickstart", "--emit", "relationships", "--format", "json"];
    args.extend(options);
    let ran = scratch.run("mclc", &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    ran.out
}

#[test]
fn manifests_and_their_catalog_have_the_same_relationships() {
    let scratch = Scratch::new("");
    let of = |name: &str| relationships_of_example(&scratch, name, &[]);
    assert_eq!(of("site.pp"), of("catalog.json"));
}

#[test]
fn installed_puppet_compiles_manifests() {
    if std::process::Command::new("puppet").arg("--version").output().is_err() {
        return skip("puppet is not installed (package puppet-agent)").unwrap_or_default();
    }
    let scratch = Scratch::new("");
    let with_puppet = relationships_of_example(&scratch, "site.pp", &["--compiler", "puppet"]);
    assert_eq!(with_puppet, relationships_of_example(&scratch, "catalog.json", &[]));
    scratch.write("bad.pp", "file { '/x': ensure => }\n");
    let bad = scratch.run("mclc", &["puppet", "bad.pp", "--compiler", "puppet", "--emit", "relationships"]);
    assert_eq!(bad.status, 1);
    assert!(bad.err.contains("P0108") && bad.err.contains("Syntax error"), "{}", bad.err);
}

#[test]
fn secrets_of_a_catalog_are_masked() {
    let scratch = Scratch::new("");
    let file = r#"{"type":"File","title":"@/key","kind":"compilable_type","sensitive_parameters":["content"],
   "parameters":{"ensure":"file","content":"hunter2"}}"#;
    let exec = r#"{"type":"Exec","title":"login","kind":"compilable_type","sensitive_parameters":["command"],
   "parameters":{"command":"/bin/echo hunter2"}}"#;
    let notify = r#"{"type":"Notify","title":"told","kind":"compilable_type","sensitive_parameters":["message"],
   "parameters":{"message":"hunter2"}}"#;
    let catalog = format!(r#"{{"name":"n","catalog_format":2,"resources":[{file},{exec},{notify}],"edges":[]}}"#);
    scratch.write("catalog.json", &catalog);
    for args in [
        &["plan", "--puppet", "catalog.json"][..],
        &["graph", "--puppet", "catalog.json", "--format", "json"],
        &["graph", "--puppet", "catalog.json", "--format", "text"],
        &["apply", "--puppet", "catalog.json", "--once", "--prefix", "state"],
    ] {
        let ran = scratch.run("mgmt-rt", args);
        assert!(ran.status == 0 || ran.status == 3, "{args:?}: {}{}", ran.out, ran.err);
        assert!(!ran.out.contains("hunter2") && !ran.err.contains("hunter2"), "{args:?}: {}{}", ran.out, ran.err);
    }
    assert_eq!(scratch.read("key").as_deref(), Some("hunter2"));
}
