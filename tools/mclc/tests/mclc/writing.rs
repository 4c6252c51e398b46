//! Where an artifact cannot be written there is one message, and nothing is left behind.

use std::os::unix::fs::PermissionsExt;

use crate::command::Scratch;

fn build_fails(scratch: &Scratch, out: &str, message: &str) {
    let ran = scratch.mclc(&["build", "a.mcl", "-o", out]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.stderr.starts_with("mclc: cannot write `") && ran.stderr.contains(message), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
}

fn names(directory: std::path::PathBuf) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("the directory can be read");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn scratch() -> Scratch {
    Scratch::new(&[("a.mcl", b"test \"x\" {}\n"), ("old.bin", b"old"), ("dir/keep", b"")])
}

#[test]
fn into_a_missing_directory() {
    build_fails(&scratch(), "gone/out.bin", "`gone/out.bin`: the directory `gone` does not exist");
}

#[test]
fn over_a_directory() {
    build_fails(&scratch(), "dir", "`dir`: is a directory");
}

#[test]
fn into_a_read_only_directory() {
    let scratch = scratch();
    if rustix::process::geteuid().is_root() {
        // Root may write anywhere, but not even root below a file system that knows no such files.
        build_fails(&scratch, "/proc/out.bin", "cannot write `/proc/out.bin`");
        return;
    }
    std::fs::set_permissions(scratch.path("dir"), PermissionsExt::from_mode(0o555)).expect("make it read-only");
    build_fails(&scratch, "dir/out.bin", "permission denied");
    assert_eq!(names(scratch.path("dir")), ["keep"]);
}

#[test]
fn onto_a_full_disk() {
    build_fails(&scratch(), "/dev/full", "no space left on device");
    let scratch = scratch();
    let mounted = rustix::process::geteuid().is_root()
        && std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4k", "tmpfs"])
            .arg(scratch.path("dir"))
            .status()
            .is_ok_and(|status| status.success());
    if !mounted {
        eprintln!("skipped the part with a full file system: mounting one needs root");
        return;
    }
    std::fs::write(scratch.path("dir/filler"), [0; 4096]).expect("fill the file system");
    let ran = scratch.mclc(&["build", "a.mcl", "-o", "dir/out.bin"]);
    let left = names(scratch.path("dir"));
    std::process::Command::new("umount").arg(scratch.path("dir")).status().expect("umount runs");
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.stderr.contains("no space left on device"), "{ran:?}");
    assert_eq!(left, ["filler"]);
}

#[test]
fn an_existing_file_is_replaced_with_usual_permissions() {
    let scratch = scratch();
    let ran = scratch.mclc(&["build", "a.mcl", "-o", "old.bin"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(std::fs::read(scratch.path("old.bin")).expect("it is there").starts_with(b"\x9bmcl"));
    let mode = std::fs::metadata(scratch.path("old.bin")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o444, 0o444, "{mode:o}");
    assert_eq!(names(scratch.path("")), ["a.mcl", "dir", "old.bin"]);
}

#[test]
fn a_link_keeps_pointing_at_what_is_written() {
    let scratch = scratch();
    std::os::unix::fs::symlink("old.bin", scratch.path("link.bin")).expect("make a link");
    assert_eq!(scratch.mclc(&["build", "a.mcl", "-o", "link.bin"]).status, 0);
    assert!(scratch.path("link.bin").is_symlink());
    assert!(std::fs::read(scratch.path("old.bin")).expect("it is there").starts_with(b"\x9bmcl"));
}

#[test]
fn every_spelling_of_an_option_is_accepted() {
    let scratch = scratch();
    for option in ["-o", "--output", "--out"] {
        for command in ["build", "lex"] {
            let ran = scratch.mclc(&[command, "a.mcl", option, "new.bin"]);
            assert_eq!(ran.status, 0, "{ran:?}");
            std::fs::remove_file(scratch.path("new.bin")).expect("the artifact was written");
        }
    }
    for option in ["--module-path", "--modulepath"] {
        assert_eq!(scratch.mclc(&["check", "a.mcl", option, "dir"]).status, 0);
    }
    for option in ["--puppet-module-path", "--puppet-modulepath", "--module-path", "--modulepath"] {
        let ran = scratch.mclc(&["puppet", "gone.json", "--emit", "graph", option, "dir"]);
        assert!(ran.stderr.contains("error[P0107]"), "{ran:?}");
    }
}

#[test]
fn through_a_link_only_if_it_is_trusted() {
    let scratch = scratch();
    std::os::unix::fs::symlink("old.bin", scratch.path("link.bin")).expect("linked");
    let build = || assert_eq!(scratch.mclc(&["build", "a.mcl", "-o", "link.bin"]).status, 0);
    let is_link = || scratch.path("link.bin").symlink_metadata().expect("it exists").is_symlink();
    build();
    assert!(is_link());
    assert_ne!(std::fs::read(scratch.path("old.bin")).expect("readable"), b"old", "a link of the user is followed");
    std::fs::write(scratch.path("old.bin"), "old").expect("writable");
    if std::os::unix::fs::lchown(scratch.path("link.bin"), Some(12345), Some(12345)).is_err() {
        return test_support::skip("giving a link to another user needs root");
    }
    build();
    assert!(!is_link());
    assert_eq!(std::fs::read(scratch.path("old.bin")).expect("readable"), b"old", "one of another user is replaced");
}
