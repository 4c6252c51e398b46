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
fn assert_unreachable(who: &str, absent: &[&str]) {
    let all = Dependencies::read().reached;
    let reached = all.get(who).unwrap_or_else(|| panic!("no package {who}"));
    for name in absent {
        assert!(all.contains_key(*name), "no package {name}: the rule has no effect");
        assert!(!reached.contains(*name), "{who} must not depend on {name}");
    }
}

/// Checks that neither the package nor a workspace package that it reaches names one of these packages from elsewhere.
#[track_caller]
fn assert_no_external(who: &str, absent: &[&str]) {
    let Dependencies { reached, external } = Dependencies::read();
    let packages = reached[who].iter().map(String::as_str).chain([who]);
    for package in packages {
        for name in absent {
            assert!(!external[package].contains(*name), "{who} must not depend on {name}, but {package} does");
        }
    }
}

const FRONT_END: &[&str] =
    &["mcl-lexer", "mcl-modules", "mcl-parser", "mcl-types", "mcl-fgraph", "mcl-format", "mcl-driver", "mcl-analysis"];

#[test]
fn runtime_links_no_compiler() {
    assert_unreachable("runtime", FRONT_END);
    assert_unreachable("mgmt-rt", FRONT_END);
    assert_unreachable("mgmt-rt", &["mclc"]);
}

#[test]
fn compiler_links_no_provider() {
    assert_unreachable("mclc", &["runtime", "resources", "resource-engine", "function-engine", "mgmt-rt"]);
}

/// Crates through which the workspace does I/O or runs threads.
const IO: &[&str] = &[
    "child-process",
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
fn resources_are_independent_of_function_engine_and_compiler() {
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
    assert_unreachable("mcl-format", &["mcl-modules", "mcl-types", "mcl-fgraph", "mcl-artifact", "resource-graph"]);
    assert_unreachable("mcl-types", &["mcl-fgraph", "mcl-artifact"]);
    assert_unreachable("mcl-artifact", &["mcl-lexer", "mcl-parser", "mcl-types", "mcl-functions", "resource-graph"]);
}

#[test]
fn analysis_knows_no_protocol() {
    assert_no_external("mcl-analysis", &["lsp-types"]);
    assert_unreachable("mcl-analysis", &["mcl-lsp", "mclc"]);
    assert_unreachable("mcl-driver", &["mcl-analysis"]);
    let Dependencies { external, .. } = Dependencies::read();
    assert!(!external["mcl-analysis"].contains("serde_json"));
}

#[test]
fn resource_graph_is_independent_of_its_sources() {
    assert_unreachable("resource-graph", FRONT_END);
    assert_unreachable("resource-graph", &["mcl-functions", "mcl-artifact", "pp-translate", "graph-merge"]);
    assert_unreachable("graph-merge", &["pp-translate", "mcl-functions", "mcl-artifact", "runtime"]);
    assert_unreachable("pp-translate", &["graph-merge", "mcl-functions", "mcl-artifact", "runtime"]);
}

#[test]
fn stages_of_the_puppet_compiler_depend_on_earlier_ones_only() {
    let above_values = ["pp-ast", "pp-functions", "pp-catalog", "pp-evaluator", "pp-syntax", "pp-environment"];
    assert_unreachable("pp-ast", &["pp-types", "pp-syntax", "pp-evaluator", "pp-catalog", "pp-functions"]);
    assert_unreachable("pp-syntax", &["pp-types", "pp-functions", "pp-catalog", "pp-evaluator", "pp-environment"]);
    assert_unreachable("pp-types", &above_values);
    assert_unreachable("pp-functions", &["pp-ast", "pp-syntax", "pp-catalog", "pp-evaluator", "pp-environment"]);
    assert_unreachable("pp-resource-types", &above_values);
    assert_unreachable("pp-ruby-syntax", &["pp-types", "pp-ast", "pp-syntax"]);
    assert_no_external("pp-ruby-syntax", IO);
    assert_unreachable("pp-ruby-types", &above_values);
    assert_no_external("pp-ruby-types", IO);
    assert_unreachable("pp-catalog", &["pp-ast", "pp-functions", "pp-syntax", "pp-evaluator", "pp-environment"]);
    assert_unreachable(
        "pp-hiera",
        &["pp-ast", "pp-functions", "pp-catalog", "pp-syntax", "pp-evaluator", "pp-environment"],
    );
    assert_no_external("pp-hiera", IO);
    assert_unreachable("pp-eyaml", &["pp-types", "pp-hiera"]);
    assert_no_external("pp-eyaml", IO);
    assert_unreachable("pp-erb", &["pp-ast", "pp-catalog", "pp-syntax", "pp-evaluator", "pp-environment"]);
    assert_no_external("pp-erb", IO);
    assert_unreachable("pp-lint", &["pp-functions", "pp-catalog", "pp-syntax", "pp-evaluator", "pp-environment"]);
    assert_unreachable("pp-ruby", &["pp-environment", "pp-syntax", "pp-translate", "pp-ruby-types", "safe-fs"]);
    assert_unreachable("pp-evaluator", &["pp-ruby"]);
    assert_unreachable("pp-evaluator", &["pp-syntax", "pp-environment", "pp-facts", "pp-translate"]);
    assert_unreachable("pp-facts", &above_values);
    assert_unreachable("pp-facts", &["child-process", "runtime", "resources"]);
    assert_no_external("pp-evaluator", IO);
    for name in ["pp-syntax", "pp-evaluator", "pp-lint", "pp-environment", "pp-analysis"] {
        assert_unreachable(name, FRONT_END);
        assert_unreachable(name, &["resource-graph", "function-engine", "resources", "runtime"]);
    }
}

/// A new dependency has a reason (CONTRIBUTING.md, "Dependencies").
#[test]
fn every_dependency_has_its_reason() {
    let architecture = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ARCHITECTURE.md"));
    let architecture = architecture.expect("ARCHITECTURE.md can be read").to_lowercase();
    let (_, reasons) = architecture.split_once("\n## dependencies\n").expect("a section about dependencies");
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let explained: BTreeSet<&str> = reasons.split(|c| !is_in_name(c)).collect();
    for (package, external) in Dependencies::read().external {
        for name in external {
            assert!(explained.contains(&*name), "{package} depends on {name}, which ARCHITECTURE.md does not explain");
        }
    }
}

#[test]
fn test_support_is_a_dev_dependency() {
    for (name, reached) in Dependencies::read().reached {
        assert!(!reached.contains("test-support"), "{name} must depend on test-support for tests only");
    }
}

#[test]
fn go_ports_are_independent_of_mcl() {
    let values_and_functions = &["mcl-value", "mcl-functions", "mcl-diagnostics", "mcl-artifact"];
    for port in ["go-compat", "go-template"] {
        assert_unreachable(port, FRONT_END);
        assert_unreachable(port, values_and_functions);
        assert_unreachable(port, &["resource-graph", "shared-store", "runtime"]);
        assert_no_external(port, IO);
    }
    assert_unreachable("go-compat", &["go-template"]);
}

#[test]
fn file_access_is_independent_of_resources() {
    assert_unreachable("safe-fs", FRONT_END);
    assert_unreachable("safe-fs", &["mcl-value", "resource-graph", "resource-engine", "resources", "shared-store"]);
}

#[test]
fn functions_and_resources_share_only_the_store() {
    assert_unreachable("shared-store", FRONT_END);
    assert_unreachable("shared-store", &["mcl-value", "mcl-functions", "resource-graph", "resources", "runtime"]);
    assert_unreachable("mcl-functions", FRONT_END);
    assert_unreachable("mcl-functions", &["mcl-artifact", "resource-graph", "pp-translate", "graph-merge"]);
    assert_unreachable("mcl-functions", &["function-engine", "resource-engine", "resources", "runtime"]);
    assert_unreachable("resources", &["mcl-functions"]);
    assert_unreachable("mcl-value", &["mcl-functions", "go-template", "shared-store", "resource-graph"]);
}
