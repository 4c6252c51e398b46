//! An agent that is killed at any moment leaves nothing half-made, and the next run ends as if nothing had happened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use test_support::{Rng, for_each_seed_in_parallel};

use crate::random_program::{prepare, program};
use crate::support::{Scratch, is_root};

/// Number of times that a program is killed before it may end.
const KILLS: usize = 4;
/// Longest time until an agent is killed, in microseconds. Most runs take longer than a tenth of it.
const MAX_LIFETIME: u64 = 60_000;

#[test]
fn killed_runs_are_completed_by_the_next() {
    for_each_seed_in_parallel(20, run);
}

fn run(random: &mut Rng) {
    let scratch = Scratch::new(&program(random, is_root(), false));
    prepare(random, &scratch.path(""));
    scratch.build();
    let (root, copy) = (scratch.path("root"), scratch.path("copy"));
    copy_tree(&root, &copy);
    let outside = files_outside(&scratch);
    let undisturbed = scratch.apply_once(&[]);
    let wanted = tree(&root);
    restore_outside(&scratch, &outside);
    fs::remove_dir_all(&root).expect("removed");
    fs::remove_dir_all(scratch.path("state")).expect("removed");
    copy_tree(&copy, &root);
    for _ in 0..KILLS {
        let agent = scratch.apply(&["--once"]);
        std::thread::park_timeout(Duration::from_micros(random.u64(..MAX_LIFETIME)));
        drop(agent);
        assert_no_half_made_content(&root, &wanted, &copy);
    }
    if random.bool() {
        // A rollback: what the killed program left is nobody's business in this one, notifications that it owes included. A
        // command that ran already would not notify again, so the files are restored, too.
        let text = scratch.read("main.mcl").unwrap_or_default();
        scratch.write("main.mcl", "");
        let ran = scratch.apply_once(&[]);
        assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
        assert_no_temporaries(&root);
        scratch.write("main.mcl", &text);
        restore_outside(&scratch, &outside);
        fs::remove_dir_all(&root).expect("removed");
        copy_tree(&copy, &root);
    }
    let completed = scratch.apply_once(&[]);
    assert_eq!(completed.status, undisturbed.status, "{}{}", completed.out, completed.err);
    assert_no_temporaries(&root);
    assert_eq!(tree(&root), wanted, "{}", scratch.read("main.mcl").unwrap_or_default());
}

/// Returns the content of the files beside the root that links in it lead to.
fn files_outside(scratch: &Scratch) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(scratch.path("")).expect("readable");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let outside = paths.filter(|path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"outside-")));
    outside.filter_map(|path| fs::read(&path).ok().map(|content| (path, content))).collect()
}

/// Undoes what a command of the program wrote through a link: a condition of the next run may test it.
fn restore_outside(scratch: &Scratch, before: &BTreeMap<PathBuf, Vec<u8>>) {
    for (path, content) in files_outside(scratch) {
        match before.get(&path) {
            None => fs::remove_file(path).expect("removed"),
            Some(wanted) if *wanted != content => fs::write(path, wanted).expect("written"),
            Some(_) => {}
        }
    }
}

type Tree = BTreeMap<PathBuf, (u32, u32, u32, String)>;

/// Returns a text with its lines in order, each once: a command may run again after a kill, and resources that add lines to
/// one file may do so in any order.
fn without_order(text: &str) -> String {
    let lines: BTreeSet<&str> = text.split_inclusive('\n').collect();
    lines.into_iter().collect()
}

/// Everything below a directory: mode, owner, group and content.
fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut todo = vec![root.to_owned()];
    while let Some(directory) = todo.pop() {
        for entry in fs::read_dir(&directory).expect("readable") {
            let path = entry.expect("readable").path();
            let metadata = fs::symlink_metadata(&path).expect("an entry");
            let content = if metadata.is_dir() {
                todo.push(path.clone());
                String::new()
            } else if metadata.is_symlink() {
                fs::read_link(&path).expect("a link").display().to_string()
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).expect("readable")).into_owned();
                without_order(&text)
            };
            let name = path.strip_prefix(root).expect("below the root").to_owned();
            found.insert(name, (metadata.mode(), metadata.uid(), metadata.gid(), content));
        }
    }
    found
}

/// Every file has its old or its new content, or some of the edits of its lines.
fn assert_no_half_made_content(root: &Path, wanted: &Tree, copy: &Path) {
    let old = tree(copy);
    for (name, (mode, _, _, content)) in tree(root) {
        if mode & 0o170_000 != 0o100_000 || is_temporary(&name) {
            continue;
        }
        let whole: Vec<&str> = [&old, wanted].iter().filter_map(|tree| Some(tree.get(&name)?.3.as_str())).collect();
        let is_edited = || {
            let known =
                |line: &str| whole.iter().any(|text| text.lines().any(|l| l == line)) || line.starts_with("line ");
            content.ends_with('\n') && content.lines().all(known)
        };
        assert!(
            whole.contains(&content.as_str()) || is_edited(),
            "{} has {content:?}, not one of {whole:?}",
            name.display()
        );
    }
}

fn is_temporary(name: &Path) -> bool {
    name.file_name().is_some_and(|name| name.to_string_lossy().contains("mgmt"))
}

fn assert_no_temporaries(root: &Path) {
    let left: Vec<PathBuf> = tree(root).into_keys().filter(|name| is_temporary(name)).collect();
    assert!(left.is_empty(), "temporary files are left: {left:?}");
}

fn copy_tree(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("--archive").args([from, to]).stdin(Stdio::null()).status();
    assert!(copied.expect("cp starts").success(), "cp copies");
}
