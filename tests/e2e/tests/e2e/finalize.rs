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
fn a_cycle_is_the_same_error_in_graph_plan_and_apply() {
    let scratch = Scratch::new(
        r#"
file "@/d/" {
	state => "exists",
	Depend => File["@/d/x"],
}
file "@/d/x" {
	state => "exists",
}
"#,
    );
    scratch.build();
    let commands: [&[&str]; 3] = [&["graph"], &["plan"], &["apply", "--once"]];
    let errors = commands.map(|command| {
        let ran = scratch.run("mgmt-rt", &[command, &["main.bin", "--prefix", "state"]].concat());
        assert_eq!(ran.status, 1, "{command:?}: {}{}", ran.out, ran.err);
        ran.err
    });
    let [graph, plan, apply] = &errors;
    assert!(graph.contains("R0302") && graph.contains("(automatic edge)"), "{graph}");
    assert!(graph.contains("main.mcl:2:1") && graph.contains("after file["), "{graph}");
    assert_eq!(graph, plan);
    assert_eq!(graph, apply);
}
