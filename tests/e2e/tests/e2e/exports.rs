//! The shared store, on one host: resources are exported, collected and withdrawn; keys and schedules are written by
//! resources and read by functions.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use test_support::eventually;

use crate::support::Scratch;

const EXPORT: &str = r#"file "@/motd" {
	state => "exists",
	content => "served by ${hostname}\n",

	Meta:hidden => true,
	Meta:export => ["*"],
}
"#;

const COLLECT: &str = r#"import "world/collect"

collect file "@/motd" {
	Meta:hidden => false,
}
print "seen" {
	msg => if len(collect.res("file")) == 0 { "nothing" } else { collect.res("file")[0]->name },
}
"#;

/// Returns the resources of the program, evaluated with the agent's state, each as `kind[name]`.
#[track_caller]
fn resources(scratch: &Scratch) -> Vec<String> {
    scratch.build();
    let ran = scratch.run("mgmt-rt", &["graph", "main.bin", "--format", "json", "--prefix", "state"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let graph: Value = serde_json::from_str(&ran.out).expect("the graph is JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let resources = graph["resources"].as_array().expect("a list").iter();
    resources.map(|r| format!("{}[{}]", text(&r["kind"]), text(&r["name"]))).collect()
}

#[test]
fn exports_are_collected_until_they_are_withdrawn() {
    let scratch = Scratch::new(EXPORT);
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(scratch.read("motd"), None, "the export is hidden");

    scratch.write("main.mcl", COLLECT);
    let name = format!("file[{}]", scratch.path("motd").display());
    assert_eq!(resources(&scratch), [&name, "print[seen]"]);
    // The exporting resource is gone, so there is nothing to collect.
    scratch.write("main.mcl", "noop \"n\" {}\n");
    assert_eq!(scratch.apply_once(&[]).status, 0);
    scratch.write("main.mcl", COLLECT);
    assert_eq!(resources(&scratch), ["print[seen]"]);
}

#[test]
fn agent_collects_its_own_exports() {
    let scratch = Scratch::new(&format!("{EXPORT}{COLLECT}"));
    scratch.build();
    let mut agent = scratch.apply(&[]);
    eventually("the collected file is made", || {
        scratch.read("motd").is_some_and(|text| text.starts_with("served by "))
    });
    agent.signal(Signal::INT);
    assert_eq!(agent.ends(), 0);
}

#[test]
fn noop_and_plan_neither_export_nor_withdraw() {
    let scratch = Scratch::new(EXPORT);
    assert_eq!(scratch.apply_once(&["--noop"]).status, 0);
    scratch.write("main.mcl", COLLECT);
    assert_eq!(resources(&scratch), ["print[seen]"]);
    scratch.write("main.mcl", EXPORT);
    scratch.build();
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state"]);
    assert_eq!(plan.status, 3, "{}{}", plan.out, plan.err);
    assert!(plan.out.contains("export to all hosts"), "{}", plan.out);
    assert_eq!(scratch.apply_once(&[]).status, 0);
    assert_eq!(scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state"]).status, 0);
    scratch.write("main.mcl", COLLECT);
    assert_eq!(scratch.apply_once(&["--noop"]).status, 0);
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state"]);
    assert_eq!(plan.status, 3, "{}{}", plan.out, plan.err);
    assert!(plan.out.contains("motd"), "{}", plan.out);
    assert_eq!(resources(&scratch).len(), 2, "it is still there");
}

#[test]
fn functions_read_keys_written_by_resources() {
    let scratch = Scratch::new(
        r#"import "golang/strings"
import "world"

kv "greeting" {
	value => "hello",
}
schedule "pool" {}
$greeting = world.getval("greeting")
$chosen = strings.join(world.schedule("pool"), ",")
file "@/out" {
	state => "exists",
	content => if $greeting->exists and $chosen == $hostname { $greeting->value } else { "nothing" },
}
"#,
    );
    scratch.build();
    let mut agent = scratch.apply(&[]);
    eventually("the program sees what its resources wrote", || scratch.read("out").as_deref() == Some("hello"));
    agent.signal(Signal::INT);
    assert_eq!(agent.ends(), 0);
}

/// Whenever an agent is killed, every record is complete, and the next run finishes the work.
#[test]
fn killed_agent_leaves_complete_records() {
    let exporter = r#"import "iter"
import "convert"
for $i, $n in iter.range(50) {
	$text = convert.int_to_str($n)
	file "@/f${text}" {
		content => $text,
		Meta:hidden => true,
		Meta:export => ["*", "other"],
	}
}
"#;
    let collector = "import \"world/collect\"\ncollect file collect.res(\"file\") {}\n";
    let scratch = Scratch::new(exporter);
    scratch.build();
    scratch.write("collect.mcl", collector);
    assert_eq!(scratch.run("mclc", &["build", "collect.mcl", "-o", "collect.bin"]).status, 0);
    for round in 0..10 {
        let agent = scratch.apply(&[]);
        let end = Instant::now() + Duration::from_millis(8 * round);
        while Instant::now() < end {
            std::thread::yield_now();
        }
        agent.signal(Signal::KILL);
        drop(agent);
        let ran = scratch.run("mgmt-rt", &["graph", "collect.bin", "--format", "json", "--prefix", "state"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
    }
    assert_eq!(scratch.apply_once(&[]).status, 0);
    std::fs::copy(scratch.path("collect.mcl"), scratch.path("main.mcl")).expect("the program is there");
    assert_eq!(resources(&scratch).len(), 50);
}
