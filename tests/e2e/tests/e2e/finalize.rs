//! `graph`, `plan` and `apply` show, compare and run the same graph.

use std::path::Path;

use serde_json::Value;

use crate::machine::skip;
use crate::support::Scratch;

#[test]
fn graph_prints_the_edges_that_apply_runs() {
    if !Path::new("/var/lib/dpkg/info/bash.list").exists() {
        return skip("dpkg knows no package `bash` here").unwrap_or_default();
    }
    let scratch = Scratch::new(
        r#"
pkg "bash" { state => "installed", }
file "/etc/skel/.bashrc" { state => "exists", }
file "@/dir/" { state => "exists", }
file "@/dir/file" { state => "exists", }
"#,
    );
    let applied = scratch.apply_once(&["--noop", "--log-format", "json"]);
    let events = applied.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let event = events.into_iter().find(|event| event["event"] == "graph").expect("apply reports its graph");
    let printed = scratch.run("mgmt-rt", &["graph", "main.bin", "--prefix", "state", "--format", "json"]);
    let printed: Value = serde_json::from_str(&printed.out).expect("graph prints JSON");
    let edges: Vec<String> = printed["edges"]
        .as_array()
        .expect("edges")
        .iter()
        .map(|edge| format!("{} -> {}", edge["from"]["kind"], edge["to"]["kind"]).replace('"', ""))
        .collect();
    assert_eq!(edges, ["file -> file", "pkg -> file"]);
    assert_eq!(event["edges"], edges.len());
}

#[test]
fn automatic_edge_against_the_declared_order_is_omitted_in_graph_plan_and_apply() {
    let scratch = Scratch::new(
        r#"
file "@/d/" {
	state => "exists",
	Depend => File["@/middle"],
}
file "@/middle" {
	state => "exists",
	Depend => File["@/d/x"],
}
file "@/d/x" {
	state => "absent",
}
"#,
    );
    scratch.build();
    let commands: [(&[&str], i32); 3] = [(&["graph"], 0), (&["plan"], 3), (&["apply", "--once"], 0)];
    for (command, status) in commands {
        let ran = scratch.run("mgmt-rt", &[command, &["main.bin", "--prefix", "state"]].concat());
        assert_eq!(ran.status, status, "{command:?}: {}{}", ran.out, ran.err);
        let text = ran.out.clone() + &ran.err;
        assert!(text.contains("note[R0303]") && text.contains("1 automatic edge is omitted"), "{command:?}: {text}");
        assert!(!text.contains("error"), "{command:?}: {text}");
    }
    let graph = scratch.run("mgmt-rt", &["graph", "main.bin", "--format", "json"]);
    let graph: Value = serde_json::from_str(&graph.out).expect("graph prints JSON");
    let name =
        |value: &Value| value["name"].as_str().expect("a name").rsplit_once('/').map(|(_, name)| name.to_owned());
    let omitted: Vec<_> = graph["omitted"].as_array().expect("a list").iter().collect();
    assert_eq!(omitted.len(), 1);
    assert_eq!(name(&omitted[0]["to"]).as_deref(), Some("x"));
    assert_eq!(graph["edges"].as_array().map(Vec::len), Some(2));
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state", "--format", "json"]);
    let note: Value = serde_json::from_str(plan.err.lines().next().expect("a note")).expect("JSON");
    assert_eq!((&note["code"], &note["severity"]), (&"R0303".into(), &"note".into()));
}
