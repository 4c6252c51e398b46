//! The list of linked crates in THIRD-PARTY-NOTICES.md.

use std::collections::{BTreeSet, HashMap};
use std::process::Command;

use crate::sources::root;

const FILE: &str = "THIRD-PARTY-NOTICES.md";

/// The heading of the list, which is the last section.
const HEADING: &str = "## Linked crates\n\n";

/// The platform whose dependencies are listed.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// Returns the crates from elsewhere that are part of one of the tools, as lines of the list. Procedural macros and build
/// scripts run at compile time, but their dependencies that are normal ones of a linked crate are included.
fn linked_crates() -> BTreeSet<String> {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", PLATFORM])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo metadata prints JSON");
    let array = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let by_id = |list: &serde_json::Value| -> HashMap<String, serde_json::Value> {
        array(list).into_iter().map(|item| (item["id"].as_str().unwrap_or_default().to_owned(), item)).collect()
    };
    let (packages, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let is_macro = |id: &str| {
        array(&packages[id]["targets"]).iter().any(|target| array(&target["kind"]).contains(&"proc-macro".into()))
    };
    let tools = packages.iter().filter(|(_, package)| ["mclc", "mgmt-rt"].map(Into::into).contains(&package["name"]));
    let mut todo: Vec<String> = tools.map(|(id, _)| id.clone()).collect();
    assert_eq!(todo.len(), 2, "both tools are packages");
    let mut seen: BTreeSet<String> = todo.iter().cloned().collect();
    while let Some(id) = todo.pop() {
        for dependency in array(&nodes[&id]["deps"]) {
            let is_normal = array(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            let id = dependency["pkg"].as_str().unwrap_or_default();
            if is_normal && !is_macro(id) && seen.insert(id.to_owned()) {
                todo.push(id.to_owned());
            }
        }
    }
    let linked = seen.iter().map(|id| &packages[id]).filter(|package| !package["source"].is_null());
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("unknown").replace('/', " OR ").replace("  ", " ");
    linked.map(|package| format!("* `{}`: {}\n", text(&package["name"]), text(&package["license"]))).collect()
}

#[test]
fn linked_crates_are_listed_with_their_licences() {
    let expected: String = linked_crates().into_iter().collect();
    let text = std::fs::read_to_string(root().join(FILE)).expect("the notices exist");
    let (before, listed) = text.split_once(HEADING).expect("the notices list the crates");
    let (introduction, listed) = listed.split_at(listed.find("* ").unwrap_or(listed.len()));
    if listed != expected && std::env::var_os("BLESS").is_some() {
        std::fs::write(root().join(FILE), format!("{before}{HEADING}{introduction}{expected}")).expect("writable");
        return;
    }
    assert!(listed == expected, "{FILE} differs from `cargo metadata`; update it with BLESS=1. Expected:\n{expected}");
}
