//! Dependencies point one way (ARCHITECTURE.md, "The rooms").

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Package name -> the workspace packages that it reaches through normal and build dependencies.
fn reachable() -> BTreeMap<String, BTreeSet<String>> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let names: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let direct: BTreeMap<String, BTreeSet<String>> = packages
        .iter()
        .map(|p| {
            let deps = p["dependencies"].as_array().into_iter().flatten();
            let deps = deps.filter(|d| d["kind"].as_str() != Some("dev")).filter_map(|d| d["name"].as_str());
            let deps = deps.filter(|d| names.contains(d)).map(str::to_owned).collect();
            (p["name"].as_str().unwrap_or_default().to_owned(), deps)
        })
        .collect();
    let mut all = direct.clone();
    for (name, reached) in &mut all {
        let mut todo: Vec<String> = direct[name].iter().cloned().collect();
        while let Some(next) = todo.pop() {
            todo.extend(direct[&next].iter().filter(|d| !reached.contains(*d)).cloned().collect::<Vec<_>>());
            reached.extend(direct[&next].iter().cloned());
        }
    }
    all
}

#[track_caller]
fn check_absent(who: &str, absent: &[&str]) {
    let all = reachable();
    let reached = all.get(who).unwrap_or_else(|| panic!("no package {who}"));
    for name in absent {
        assert!(all.contains_key(*name), "no package {name}: the rule speaks of nothing");
        assert!(!reached.contains(*name), "{who} must not depend on {name}");
    }
}

const FRONT_END: &[&str] = &["mcl-lexer", "mcl-modules", "mcl-parser", "mcl-types", "mcl-fgraph", "mcl-driver"];

#[test]
fn the_runtime_links_no_compiler() {
    check_absent("runtime", FRONT_END);
    check_absent("mgmt-rt", FRONT_END);
    check_absent("mgmt-rt", &["mclc"]);
}

#[test]
fn the_compiler_links_no_resource_implementation() {
    check_absent("mclc", &["runtime", "mgmt-rt"]);
}

#[test]
fn stages_depend_on_earlier_stages_only() {
    check_absent("mcl-lexer", &["mcl-modules", "mcl-parser", "mcl-types", "mcl-fgraph", "mcl-artifact"]);
    check_absent("mcl-modules", &["mcl-parser", "mcl-types", "mcl-fgraph", "mcl-artifact"]);
    check_absent("mcl-parser", &["mcl-types", "mcl-fgraph", "mcl-artifact", "resource-graph"]);
    check_absent("mcl-types", &["mcl-fgraph", "mcl-artifact"]);
    check_absent("mcl-artifact", &["mcl-lexer", "mcl-parser", "mcl-types", "mcl-functions", "resource-graph"]);
}

#[test]
fn resources_know_nothing_of_mcl_syntax_and_puppet() {
    check_absent("resource-graph", FRONT_END);
    check_absent("resource-graph", &["mcl-functions", "mcl-artifact", "pp-translate", "graph-merge"]);
    check_absent("graph-merge", &["pp-translate", "mcl-functions", "mcl-artifact", "runtime"]);
    check_absent("pp-translate", &["graph-merge", "mcl-functions", "mcl-artifact", "runtime"]);
}

#[test]
fn only_tests_use_the_test_support() {
    for (name, reached) in reachable() {
        assert!(!reached.contains("test-support"), "{name} must depend on test-support for tests only");
    }
}
