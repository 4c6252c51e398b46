//! Backups and their restoration, as a user runs them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use crate::support::{Ran, Scratch};

/// Changes and removes a file, a line, a link, and a tree.
const PROGRAM: &str = r#"
file "@/content" { state => "exists", content => "new", }
file "@/gone" { state => "absent", }
file "@/link" { state => "exists", source => "elsewhere", symlink => true, }
file "@/tree/" { state => "absent", recurse => true, force => true, }
file "@/purged/" { state => "exists", purge => true, recurse => true, force => true, }
line "l" { file => "@/lines", content => "second", state => "exists", }
"#;

fn prepared(program: &str) -> Scratch {
    let scratch = Scratch::new(program);
    for (name, text) in [("content", "old\n"), ("gone", "precious\n"), ("lines", "first\n")] {
        scratch.write(name, text);
    }
    fs::set_permissions(scratch.path("gone"), fs::Permissions::from_mode(0o640)).expect("an own file");
    symlink("nowhere", scratch.path("link")).expect("a new link");
    fs::create_dir_all(scratch.path("tree/deep")).expect("new directories");
    fs::create_dir_all(scratch.path("purged")).expect("a new directory");
    for (name, text) in [("tree/a", "1"), ("tree/deep/b", "2"), ("purged/c", "3")] {
        scratch.write(name, text);
    }
    symlink("../a", scratch.path("tree/deep/up")).expect("a new link");
    fs::set_permissions(scratch.path("tree/deep"), fs::Permissions::from_mode(0o750)).expect("an own directory");
    scratch
}

fn restore(scratch: &Scratch, args: &[&str]) -> Ran {
    scratch.run("mgmt-rt", &[&["restore", "--prefix", "state"], args].concat())
}

fn path(scratch: &Scratch, name: &str) -> String {
    scratch.path(name).display().to_string()
}

#[track_caller]
fn restored(scratch: &Scratch, name: &str) {
    let ran = restore(scratch, &[&path(scratch, name)]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn everything_that_was_replaced_or_removed_is_restored() {
    let scratch = prepared(PROGRAM);
    let applied = scratch.apply_once(&["--backup"]);
    assert_eq!(applied.status, 0, "{}{}", applied.out, applied.err);
    assert_eq!(scratch.read("content").as_deref(), Some("new"));
    assert!(!scratch.path("tree").exists() && !scratch.path("purged/c").exists());
    for name in ["content", "gone", "link", "tree", "purged/c", "lines"] {
        restored(&scratch, name);
    }
    assert_eq!(scratch.read("content").as_deref(), Some("old\n"));
    assert_eq!(scratch.read("gone").as_deref(), Some("precious\n"));
    assert_eq!(fs::metadata(scratch.path("gone")).expect("restored").mode() & 0o7777, 0o640);
    assert_eq!(fs::read_link(scratch.path("link")).expect("a link").to_str(), Some("nowhere"));
    assert_eq!(scratch.read("tree/a").as_deref(), Some("1"));
    assert_eq!(scratch.read("tree/deep/b").as_deref(), Some("2"));
    assert_eq!(fs::read_link(scratch.path("tree/deep/up")).expect("a link").to_str(), Some("../a"));
    assert_eq!(fs::metadata(scratch.path("tree/deep")).expect("restored").mode() & 0o7777, 0o750);
    assert_eq!(scratch.read("purged/c").as_deref(), Some("3"));
    assert_eq!(scratch.read("lines").as_deref(), Some("first\n"));
    // What the program wrote was backed up by the restoration.
    restored(&scratch, "content");
    assert_eq!(scratch.read("content").as_deref(), Some("new"));
}

#[test]
fn a_part_of_a_removed_tree_is_restored_elsewhere() {
    let scratch = prepared(PROGRAM);
    scratch.apply_once(&["--backup=10M"]);
    let (from, to) = (path(&scratch, "tree/deep/b"), path(&scratch, "other"));
    let ran = restore(&scratch, &[&from, "--to", &to]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(scratch.read("other").as_deref(), Some("2"));
    assert!(!scratch.path("tree").exists());
}

#[test]
fn nothing_is_kept_without_the_option_nor_by_plans() {
    let scratch = prepared(PROGRAM);
    scratch.build();
    let planned = scratch.command("mgmt-rt", &["plan", "main.bin"]).env("MGMT_BACKUP", "1G").status().expect("it runs");
    assert_eq!(planned.code(), Some(3));
    assert_eq!(scratch.apply_once(&["--noop", "--backup"]).status, 0);
    assert_eq!(restore(&scratch, &["--list"]).out, "no backups\n");
    assert_eq!(scratch.apply_once(&[]).status, 0);
    assert_eq!(restore(&scratch, &["--list"]).out, "no backups\n");
    let ran = restore(&scratch, &[&path(&scratch, "content")]);
    assert!(ran.status == 1 && ran.err.contains("R0416") && ran.err.contains("no backup of"), "{}", ran.err);
}

#[test]
fn lists_name_time_resource_and_size_and_no_content() {
    let scratch = prepared(PROGRAM);
    scratch.apply_once(&["--backup"]);
    let ran = restore(&scratch, &["--list", &path(&scratch, "gone"), "--format", "json"]);
    let list: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let [record] = &list.as_array().expect("an array")[..] else { panic!("{list}") };
    assert_eq!(record["resource"], format!("file[{}]", path(&scratch, "gone")));
    assert_eq!((&record["action"], &record["size"], &record["kind"]), (&"removed".into(), &9.into(), &"file".into()));
    assert!(record["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{record}");
    let all = restore(&scratch, &["--list"]);
    assert!(all.out.contains("gone") && all.out.contains("line[l]") && !all.out.contains("precious"), "{}", all.out);
}

#[test]
fn earlier_contents_are_chosen_by_number_and_time() {
    let scratch = prepared(r#"file "@/content" { state => "exists", content => "new", }"#);
    let file = path(&scratch, "content");
    for text in ["one", "two"] {
        scratch.write("content", text);
        scratch.apply_once(&["--backup"]);
    }
    let list: serde_json::Value =
        serde_json::from_str(&restore(&scratch, &["--list", &file, "--format", "json"]).out).expect("JSON");
    let id = list[0]["id"].to_string();
    let dry = restore(&scratch, &[&file, "--id", &id, "--dry-run"]);
    assert_eq!((dry.status, dry.out), (0, format!("would restore {file}\n")));
    assert_eq!(scratch.read("content").as_deref(), Some("new"));
    assert_eq!(restore(&scratch, &["--id", &id]).status, 0);
    assert_eq!(scratch.read("content").as_deref(), Some("one"));
    assert_eq!(restore(&scratch, &[&file, "--at", "2001-01-01T00:00:00Z"]).status, 0);
    assert_eq!(scratch.read("content").as_deref(), Some("one"));
    let future = restore(&scratch, &[&file, "--at", "2999-01-01T00:00"]);
    assert_eq!(future.status, 1, "{}", future.out);
    assert_eq!(restore(&scratch, &[&file, "--at", "yesterday"]).status, 2);
}

#[test]
fn what_exceeds_the_limit_stays_and_the_store_is_private() {
    let scratch = prepared(r#"file "@/content" { state => "exists", content => "new", }"#);
    scratch.write("content", &"x".repeat(5000));
    let ran = scratch.apply_once(&["--backup", "--backup-file-size", "4K"]);
    assert!(ran.status == 1 && ran.err.contains("exceeds the limit on backups"), "{}{}", ran.out, ran.err);
    assert_eq!(scratch.read("content").map(|text| text.len()), Some(5000));
    assert_eq!(scratch.apply_once(&["--backup"]).status, 0);
    let mode = |name: &str| fs::metadata(scratch.path(name)).expect("it exists").mode() & 0o7777;
    assert_eq!((mode("state/engine/backups"), mode("state/engine/backups/contents")), (0o700, 0o700));
    let copy = fs::read_dir(scratch.path("state/engine/backups/contents")).expect("a directory").next();
    assert_eq!(copy.expect("a copy").expect("readable").metadata().expect("readable").mode() & 0o7777, 0o600);
}

#[test]
fn nothing_is_restored_while_an_agent_runs() {
    let scratch = prepared(r#"file "@/content" { state => "exists", content => "new", }"#);
    scratch.apply_once(&["--backup"]);
    fs::remove_file(scratch.path("content")).expect("it was written");
    let _agent = scratch.apply(&["--backup"]);
    test_support::eventually("the agent runs", || scratch.path("content").exists());
    let ran = restore(&scratch, &[&path(&scratch, "content")]);
    assert!(ran.status == 1 && ran.err.contains("another mgmt-rt"), "{}{}", ran.out, ran.err);
    assert_eq!(restore(&scratch, &["--list"]).status, 0, "a list needs no lock");
}
