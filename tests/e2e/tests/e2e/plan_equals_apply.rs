//! `plan` shows exactly what `apply` then does, and `apply` leaves nothing to do.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use test_support::{RandomChoice, Rng, for_each_seed_in_parallel};

use crate::random_program::{disturb, prepare, program};
use crate::support::{Scratch, is_root};

/// The changes of each resource, in order.
type Changes = BTreeMap<String, Vec<String>>;

#[test]
fn random_programs_do_what_was_planned() {
    for_each_seed_in_parallel(60, run);
}

fn run(random: &mut Rng) {
    let first = program(random, is_root());
    let scratch = Scratch::new(&first);
    prepare(random, &scratch.path(""));
    if random.bool() {
        // Resources that leave the program may have reversals.
        scratch.apply_once(&[]);
        let next = if random.one_in(3) { String::new() } else { program(random, is_root()) };
        scratch.write("main.mcl", &next);
        disturb(random, &scratch.path("root"));
    }
    scratch.build();
    let before = snapshot(&scratch.path("root"));
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state", "--format", "json", "--run-commands"]);
    assert_eq!(snapshot(&scratch.path("root")), before, "a plan changes nothing");
    let apply = scratch.apply_once(&["--log-format", "json"]);
    let context = format!(
        "{}\nplan:\n{}{}\napply:\n{}{}",
        scratch.read("main.mcl").unwrap_or_default(),
        plan.out,
        plan.err,
        apply.out,
        apply.err
    );
    let applied = applied(&apply.out);
    let planned = planned(&plan.out);
    if is_uncertain(&plan.out) {
        let is_planned = |(id, changes): (&String, &Vec<String>)| planned.get(id).is_some_and(|p| p == changes);
        assert!(applied.changes.iter().all(is_planned), "nothing else is done: {context}");
        return;
    }
    assert_eq!(planned, applied.changes, "{context}");
    assert_eq!(failures(&plan.err), applied.failed, "{context}");
    let expected = match (applied.failed.is_empty(), applied.changes.is_empty()) {
        (false, _) => (1, 1),
        (true, false) => (3, 0),
        (true, true) => (0, 0),
    };
    assert_eq!((plan.status, apply.status), expected, "{context}");
    if applied.failed.is_empty() {
        let again = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state", "--run-commands"]);
        assert_eq!(again.status, 0, "nothing is left: {}{}\n{context}", again.out, again.err);
    }
}

fn objects(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok())
}

fn field(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_default().to_owned()
}

fn planned(out: &str) -> Changes {
    let mut changes = Changes::new();
    for object in objects(out).filter(|object| object["change"].is_string()) {
        changes.entry(field(&object, "id")).or_default().push(field(&object, "change"));
    }
    changes
}

/// Whether the plan says of a change that it depends on what a command does.
fn is_uncertain(out: &str) -> bool {
    objects(out).any(|object| object["uncertainty"].is_string())
}

struct Applied {
    changes: Changes,
    /// The resources that failed.
    failed: Vec<String>,
}

fn applied(out: &str) -> Applied {
    let mut applied = Applied { changes: Changes::new(), failed: Vec::new() };
    for object in objects(out) {
        match object["event"].as_str() {
            Some("changed") => applied.changes.entry(field(&object, "id")).or_default().push(field(&object, "text")),
            Some("failed") => applied.failed.push(field(&object, "id")),
            _ => {}
        }
    }
    applied.failed.sort();
    applied
}

/// The resources of the lines `error[R0402]: file[/x]: …`.
fn failures(err: &str) -> Vec<String> {
    let after_code = |line: &str| Some(line.strip_prefix("error[R")?.split_once("]: ")?.1.to_owned());
    let mut failed: Vec<String> =
        err.lines().filter_map(after_code).filter_map(|text| Some(text.split_once("]")?.0.to_owned() + "]")).collect();
    failed.sort();
    failed
}

/// Everything below a directory, with what a change would show in.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (u32, u64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.to_owned()];
    while let Some(directory) = todo.pop() {
        for entry in fs::read_dir(&directory).expect("readable") {
            let path = entry.expect("readable").path();
            let metadata = fs::symlink_metadata(&path).expect("an entry");
            let content = if metadata.is_file() { fs::read(&path).expect("readable") } else { Vec::new() };
            if metadata.is_dir() {
                todo.push(path.clone());
            }
            found.insert(path, (metadata.mode(), metadata.ino(), content));
        }
    }
    found
}
