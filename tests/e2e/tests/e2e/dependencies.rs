//! Dependencies point one way (ARCHITECTURE.md, "Code map").

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The normal and build dependencies of the packages of the workspace.
struct Dependencies {
    /// The workspace packages that a package reaches.
    reached: BTreeMap<String, BTreeSet<String>>,
    /// The external packages that a package names itself.
    external: BTreeMap<String, BTreeSet<String>>,
}

impl Dependencies {
    fn read() -> Dependencies {
        let out = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo runs");
        let metadata: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo metadata prints JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        let names: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
        let mut reached: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut external: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for package in packages {
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            let dependencies = dependencies.filter(|d| d["kind"].as_str() != Some("dev"));
            let (ours, others) =
                dependencies.filter_map(|d| d["name"].as_str()).map(str::to_owned).partition(|d| names.contains(&**d));
            let name = package["name"].as_str().unwrap_or_default();
            reached.insert(name.to_owned(), ours);
            external.insert(name.to_owned(), others);
        }
        let direct = reached.clone();
        for (name, reached) in &mut reached {
            let mut todo: Vec<String> = direct[name].iter().cloned().collect();
            while let Some(next) = todo.pop() {
                todo.extend(direct[&next].iter().filter(|d| !reached.contains(*d)).cloned().collect::<Vec<_>>());
                reached.extend(direct[&next].iter().cloned());
            }
        }
        Dependencies { reached, external }
    }
}

#[track_caller]
fn assert_unreachable(package: &str, absent: &[&str]) {
    let all = Dependencies::read().reached;
    let reached = all.get(package).unwrap_or_else(|| panic!("no package {package}"));
    for name in absent {
        assert!(all.contains_key(*name), "no package {name}: the rule has no effect");
        assert!(!reached.contains(*name), "{package} must not depend on {name}");
    }
}

/// Asserts that neither the package nor a workspace package that it reaches depends on one of these external packages.
#[track_caller]
fn assert_no_external(package: &str, absent: &[&str]) {
    let Dependencies { reached, external } = Dependencies::read();
    for linked in reached[package].iter().map(String::as_str).chain([package]) {
        for name in absent {
            assert!(!external[linked].contains(*name), "{package} must not depend on {name}, but {linked} does");
        }
    }
}

const FRONT_END: &[&str] = &["mcl-lexer", "mcl-modules", "mcl-parser", "mcl-types", "mcl-fgraph", "mcl-driver"];

#[test]
fn the_runtime_links_no_compiler() {
    assert_unreachable("runtime", FRONT_END);
    assert_unreachable("mgmt-rt", FRONT_END);
    assert_unreachable("mgmt-rt", &["mclc"]);
}

#[test]
fn the_compiler_links_no_resource_implementation() {
    assert_unreachable("mclc", &["runtime", "resources", "resource-engine", "function-engine", "mgmt-rt"]);
}

/// Crates through which the workspace does I/O or runs threads.
const IO: &[&str] = &[
    "rustix",
    "nix",
    "signal-hook",
    "zbus",
    "zruntime",
    "futures-core",
    "tempfile",
    "tar",
    "flate2",
    "if-addrs",
    "rayon",
];

#[test]
fn resource_engine_does_no_io() {
    assert_no_external("resource-engine", IO);
    assert_unreachable("resource-engine", FRONT_END);
    assert_unreachable(
        "resource-engine",
        &["resources", "function-engine", "runtime", "mcl-functions", "mcl-artifact"],
    );
    assert_unreachable("resource-engine", &["graph-merge", "pp-translate"]);
}

#[test]
fn resources_are_independent_of_functions_and_compiler() {
    assert_unreachable("resources", FRONT_END);
    assert_unreachable("resources", &["function-engine", "runtime", "graph-merge", "pp-translate"]);
}

#[test]
fn function_engine_is_independent_of_providers() {
    assert_unreachable("function-engine", FRONT_END);
    assert_unreachable("function-engine", &["resources", "resource-engine", "runtime", "graph-merge", "pp-translate"]);
}

#[test]
fn stages_depend_on_earlier_stages_only() {
    assert_unreachable("mcl-lexer", &["mcl-modules", "mcl-parser", "mcl-types", "mcl-fgraph", "mcl-artifact"]);
    assert_unreachable("mcl-modules", &["mcl-parser", "mcl-types", "mcl-fgraph", "mcl-artifact"]);
    assert_unreachable("mcl-parser", &["mcl-types", "mcl-fgraph", "mcl-artifact", "resource-graph"]);
    assert_unreachable("mcl-types", &["mcl-fgraph", "mcl-artifact"]);
    assert_unreachable("mcl-artifact", &["mcl-lexer", "mcl-parser", "mcl-types", "mcl-functions", "resource-graph"]);
}

#[test]
fn resource_graph_is_independent_of_its_sources() {
    assert_unreachable("resource-graph", FRONT_END);
    assert_unreachable("resource-graph", &["mcl-functions", "mcl-artifact", "pp-translate", "graph-merge"]);
    assert_unreachable("graph-merge", &["pp-translate", "mcl-functions", "mcl-artifact", "runtime"]);
    assert_unreachable("pp-translate", &["graph-merge", "mcl-functions", "mcl-artifact", "runtime"]);
}

#[test]
fn test_support_is_a_dev_dependency_only() {
    for (name, reached) in Dependencies::read().reached {
        assert!(!reached.contains("test-support"), "{name} must depend on test-support for tests only");
    }
}
