//! Backups of many files: in a bounded store, on a full disk, and of an ordinary user.

use std::fs;
use std::path::Path;

use crate::machine::{Machine, NOBODY};
use crate::support::{Scratch, is_root};

const STRAYS: usize = 2000;

/// Removes everything in a directory.
const PURGE: &str = "file \"@/purged/\" { state => \"exists\", recurse => true, purge => true, }\n";

fn make_strays(directory: &Path, count: usize) {
    fs::create_dir(directory).expect("a new directory");
    for i in 0..count {
        fs::write(directory.join(format!("s{i}")), format!("content {i}\n")).expect("a new file");
    }
}

/// Returns the paths that are in the store, once each.
fn backed_up(scratch: &Scratch) -> Vec<String> {
    let listed = scratch.run("mgmt-rt", &["restore", "--prefix", "state", "--list", "--format", "json"]);
    let list: serde_json::Value = serde_json::from_str(&listed.out).expect("JSON");
    let list = list.as_array().expect("an array");
    let mut paths: Vec<String> = list.iter().filter_map(|record| Some(record["path"].as_str()?.to_owned())).collect();
    paths.sort();
    paths.dedup();
    paths
}

#[test]
fn purge_keeps_the_newest_removals_within_the_limit() {
    let scratch = Scratch::new(PURGE);
    make_strays(&scratch.path("purged"), STRAYS);
    let ran = scratch.apply_once(&["--backup=1M"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(fs::read_dir(scratch.path("purged")).expect("a directory").count(), 0);
    let contents = scratch.path("state/engine/backups/contents");
    let copies = fs::read_dir(contents).expect("a directory").count();
    // Each copy takes a block.
    assert!((100..=256).contains(&copies), "{copies} copies");
    let kept = backed_up(&scratch);
    assert_eq!(kept.len(), copies);
    let ran = scratch.run("mgmt-rt", &["restore", "--prefix", "state", &kept[0]]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let restored = fs::read_to_string(&kept[0]).expect("it is restored");
    assert_eq!(restored, format!("content {}\n", kept[0].rsplit('s').next().expect("a number")));
}

#[test]
fn purge_on_a_full_disk_removes_nothing_that_is_not_kept() {
    let Some(machine) = Machine::boot(&PURGE.replace("@/", "/srv/")) else { return };
    machine.must(&["mkdir", "/srv/state"]);
    machine.must(&["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", "/srv/state"]);
    let make = "mkdir -p /srv/purged; for i in $(seq 600); do echo content $i > /srv/purged/s$i; done";
    machine.must(&["sh", "-c", make]);
    let apply = |limit: &str| {
        machine.run(&["/tools/mgmt-rt", "apply", "/test/main.bin", "--once", "--prefix", "/srv/state", limit])
    };
    let full = apply("--backup=1G");
    assert_eq!(full.status, 1, "{}", full.out);
    assert!(full.err.contains("no space left on device"), "{}", full.err);
    // What is gone is in the store, and what is not in the store is there.
    let check = "for i in $(seq 600); do test -e /srv/purged/s$i || { /tools/mgmt-rt restore --prefix /srv/state --dry-run \
                 /srv/purged/s$i >/dev/null || echo s$i is lost; }; done";
    assert_eq!(machine.run(&["sh", "-c", check]).out, "");
    let left = machine.must(&["sh", "-c", "ls /srv/purged | wc -l"]);
    let left: usize = left.trim().parse().expect("a number");
    assert!((1..600).contains(&left), "{left} files are left");
    // A lower limit frees space.
    let bounded = apply("--backup=512K");
    assert_eq!(bounded.status, 0, "{}", bounded.err);
    assert_eq!(machine.must(&["sh", "-c", "ls /srv/purged | wc -l"]).trim(), "0");
}

#[test]
fn ordinary_user_restores_own_files() {
    if !is_root() {
        // All tests of backups run as an ordinary user then.
        return;
    }
    let Some(machine) = Machine::boot(&PURGE.replace("@/", "/srv/own/")) else { return };
    machine.must(&["mkdir", "-p", "/srv/own/purged/deep", "/srv/own/state"]);
    machine.must(&["sh", "-c", "echo one > /srv/own/purged/deep/f; chmod 0640 /srv/own/purged/deep/f"]);
    machine.must(&["chown", "-R", NOBODY, "/srv/own"]);
    machine.must(&["chmod", "0755", "/test"]);
    let as_user = |words: &[&str]| {
        let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", "/tools/mgmt-rt"];
        machine.run(&[&user[..], words].concat())
    };
    let applied = as_user(&["apply", "/test/main.bin", "--once", "--prefix", "/srv/own/state", "--backup"]);
    assert_eq!(applied.status, 0, "{}{}", applied.out, applied.err);
    assert!(!machine.succeeds(&["test", "-e", "/srv/own/purged/deep"]));
    let restored = as_user(&["restore", "--prefix", "/srv/own/state", "/srv/own/purged/deep"]);
    assert_eq!(restored.status, 0, "{}{}", restored.out, restored.err);
    let found = machine.must(&["stat", "--format=%u:%g %a", "/srv/own/purged/deep/f"]);
    assert_eq!(found.trim(), format!("{NOBODY} 640"));
    assert_eq!(machine.must(&["cat", "/srv/own/purged/deep/f"]), "one\n");
}
