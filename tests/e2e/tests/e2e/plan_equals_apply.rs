//! `plan` shows exactly what `apply` then does, and `apply` leaves nothing to do.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use test_support::{RandomChoice, Rng, for_each_seed_in_parallel};

use crate::plan_report::{Changes, applied, check, field, objects, planned};
use crate::random_catalog;
use crate::random_program::{disturb, prepare, program};
use crate::support::{Scratch, is_root};

#[test]
fn random_programs_do_what_was_planned() {
    for_each_seed_in_parallel(60, run);
}

fn run(random: &mut Rng) {
    let first = program(random, is_root(), true);
    let scratch = Scratch::new(&first);
    prepare(random, &scratch.path(""));
    if random.bool() {
        // Resources that leave the program may have reversals.
        scratch.apply_once(&[]);
        let next = if random.one_in(3) { String::new() } else { program(random, is_root(), true) };
        scratch.write("main.mcl", &next);
        disturb(random, &scratch.path("root"));
    }
    scratch.build();
    let mut sources = Vec::new();
    if random.one_in(4) {
        scratch.write("catalog.json", &random_catalog::catalog(random));
        random_catalog::disturb(random, &scratch.path("root"));
        sources = vec!["--puppet", "catalog.json", "--puppet-fallback", "error"];
    }
    let is_kept = random.one_in(3);
    let before = snapshot(&scratch.path("root"));
    let keep: &[&str] = if is_kept { &["-o", "kept.plan"] } else { &[] };
    let plan_args = ["plan", "main.bin", "--prefix", "state", "--format", "json", "--run-commands"];
    let args = [&plan_args[..], &sources].concat();
    let plan = scratch.run("mgmt-rt", &[&args[..], keep].concat());
    let noop = scratch.apply_once(&[&sources[..], &["--noop", "--log-format", "json"]].concat());
    assert_eq!(snapshot(&scratch.path("root")), before, "a plan changes nothing");
    // A plan with failures is not kept.
    let apply = if is_kept && plan.status != 1 {
        scratch.run("mgmt-rt", &["apply", "--plan", "kept.plan", "--log-format", "json", "--backup"])
    } else {
        scratch.apply_once(&[&sources[..], &["--log-format", "json"]].concat())
    };
    let program = scratch.read("main.mcl").unwrap_or_default() + &scratch.read("catalog.json").unwrap_or_default();
    check(&program, &plan, &noop, &apply, || scratch.run("mgmt-rt", &args));
}

#[test]
fn reversals_of_resources_that_left_the_program_are_planned() {
    let file = |name: &str| {
        format!("file \"@/{name}\" {{ state => \"exists\", content => \"managed\\n\", Meta:reverse => true, }}\n")
    };
    let scratch = Scratch::new(&[file("made"), file("changed"), file("kept")].concat());
    scratch.write("changed", "before\n");
    assert_eq!(scratch.apply_once(&[]).status, 0);
    scratch.write("main.mcl", &file("kept"));
    scratch.build();
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin", "--prefix", "state", "--format", "json"]);
    let noop = scratch.apply_once(&["--noop", "--log-format", "json"]);
    assert!(scratch.path("made").exists() && scratch.read("changed").as_deref() == Some("managed\n"));
    let apply = scratch.apply_once(&["--log-format", "json"]);
    let made = applied(&apply.out).changes;
    assert_eq!(made.len(), 2, "{made:?}");
    assert_eq!((plan.status, planned(&plan.out).certain), (3, made.clone()), "{}", plan.err);
    let mut announced = Changes::new();
    for object in objects(&noop.out).filter(|object| object["event"] == "changed" && object["noop"] == true) {
        announced.entry(field(&object, "id")).or_default().push(field(&object, "text"));
    }
    assert_eq!((noop.status, announced), (0, made), "{}", noop.err);
    assert!(!scratch.path("made").exists() && scratch.read("changed").as_deref() == Some("before\n"));
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
