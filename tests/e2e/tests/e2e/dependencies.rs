//! Dependencies point one way (ARCHITECTURE.md, "Code map").

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The dependencies of the workspace's packages, through normal and build dependencies.
struct Dependencies {
    /// Package name -> all workspace packages that it reaches.
    reached: BTreeMap<String, BTreeSet<String>>,
    /// Package name -> the packages from elsewhere that it names itself.
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
fn check_absent(who: &str, absent: &[&str]) {
    let all = Dependencies::read().reached;
    let reached = all.get(who).unwrap_or_else(|| panic!("no package {who}"));
    for name in absent {
        assert!(all.contains_key(*name), "no package {name}: the rule speaks of nothing");
        assert!(!reached.contains(*name), "{who} must not depend on {name}");
    }
}

/// Checks that neither the package nor a workspace package that it reaches names one of these packages from elsewhere.
#[track_caller]
fn check_external_absent(who: &str, absent: &[&str]) {
    let Dependencies { reached, external } = Dependencies::read();
    let packages = reached[who].iter().map(String::as_str).chain([who]);
    for package in packages {
        for name in absent {
            assert!(!external[package].contains(*name), "{who} must not depend on {name}, but {package} does");
        }
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
    check_absent("mclc", &["runtime", "resources", "resource-engine", "function-engine", "mgmt-rt"]);
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
fn the_resource_engine_does_no_io_and_knows_no_resource_and_no_function() {
    check_external_absent("resource-engine", IO);
    check_absent("resource-engine", FRONT_END);
    check_absent("resource-engine", &["resources", "function-engine", "runtime", "mcl-functions", "mcl-artifact"]);
    check_absent("resource-engine", &["graph-merge", "pp-translate"]);
}

#[test]
fn resources_know_nothing_of_the_function_engine_and_the_compiler() {
    check_absent("resources", FRONT_END);
    check_absent("resources", &["function-engine", "runtime", "graph-merge", "pp-translate"]);
}

#[test]
fn the_function_engine_knows_nothing_of_how_resources_are_applied() {
    check_absent("function-engine", FRONT_END);
    check_absent("function-engine", &["resources", "resource-engine", "runtime", "graph-merge", "pp-translate"]);
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
    for (name, reached) in Dependencies::read().reached {
        assert!(!reached.contains("test-support"), "{name} must depend on test-support for tests only");
    }
}

#[test]
fn the_ports_of_go_know_nothing_of_mcl() {
    let values_and_functions = &["mcl-value", "mcl-functions", "mcl-diagnostics", "mcl-artifact"];
    for port in ["go-compat", "go-template"] {
        check_absent(port, FRONT_END);
        check_absent(port, values_and_functions);
        check_absent(port, &["resource-graph", "shared-store", "runtime"]);
        check_external_absent(port, IO);
    }
    check_absent("go-compat", &["go-template"]);
}

#[test]
fn functions_and_resources_meet_in_the_shared_store_only() {
    check_absent("shared-store", FRONT_END);
    check_absent("shared-store", &["mcl-value", "mcl-functions", "resource-graph", "resources", "runtime"]);
    check_absent("mcl-functions", FRONT_END);
    check_absent("mcl-functions", &["mcl-artifact", "resource-graph", "pp-translate", "graph-merge"]);
    check_absent("mcl-functions", &["function-engine", "resource-engine", "resources", "runtime"]);
    check_absent("resources", &["mcl-functions"]);
    check_absent("mcl-value", &["mcl-functions", "go-template", "shared-store", "resource-graph"]);
}
