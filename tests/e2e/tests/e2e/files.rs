//! Files that other resources, other programs and other users change at the same time.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use test_support::eventually;

use crate::support::Scratch;

/// The account `nobody`.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        assert!(std::env::var_os("MCL_SKIP_NOTHING").is_none(), "needs root");
        eprintln!("skipped: needs root");
    }
    is_root
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Returns a program with `n` lines of one file.
fn lines(n: usize) -> String {
    (0..n)
        .map(|i| format!("line \"{i}\" {{ file => \"@/f\", content => \"line {i}\", state => \"exists\", }}\n"))
        .collect()
}

#[test]
fn resources_that_edit_one_file_lose_no_line() {
    let scratch = Scratch::new(&lines(20));
    scratch.build();
    for hard_link in [false, true] {
        for _ in 0..20 {
            let _ = fs::remove_file(scratch.path("g"));
            scratch.write("f", "base\n");
            if hard_link {
                fs::hard_link(scratch.path("f"), scratch.path("g")).unwrap();
            }
            let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
            assert_eq!(ran.status, 0, "{}", ran.err);
            assert_eq!(scratch.read("f").unwrap().lines().count(), 21);
        }
    }
}

#[test]
fn keys_of_one_user_are_all_added_with_their_directory() {
    let key = |i: usize| {
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBtqhnN5YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWF{i} user{i}")
    };
    let program: String = (0..8)
        .map(|i| {
            format!(
                "ssh:authorized_key \"{}\" {{ state => \"exists\", file => \"@/.ssh/authorized_keys\", }}\n",
                key(i)
            )
        })
        .collect();
    let scratch = Scratch::new(&program);
    scratch.build();
    for _ in 0..10 {
        let _ = fs::remove_dir_all(scratch.path(".ssh"));
        let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(scratch.read(".ssh/authorized_keys").unwrap().lines().count(), 8);
        assert_eq!(names(&scratch.path(".ssh")), ["authorized_keys"]);
        assert_eq!(fs::metadata(scratch.path(".ssh")).unwrap().permissions().mode() & 0o7777, 0o700);
    }
}

#[test]
fn purge_knows_managed_files_however_they_are_spelled() {
    let scratch = Scratch::new(
        r#"
file "@/c/" { state => "exists", recurse => true, purge => true, }
file "@/c/x/" { state => "exists", }
file "@/c//k" { state => "exists", content => "x\n", }
file "@/c/./l" { state => "exists", content => "x\n", }
file "@/c/x/../keep" { state => "exists", content => "x\n", }
file "@/c/passed/../also" { state => "exists", content => "x\n", }
file "@/link/m" { state => "exists", content => "x\n", }
line "1" { file => "@/c/lines", content => "x", state => "exists", }
gzip "@/c/a.gz" { content => "x", }
tar "@/c/a.tar" { inputs => ["@/main.mcl",], }
"#,
    );
    fs::create_dir_all(scratch.path("c/passed")).unwrap();
    std::os::unix::fs::symlink("c", scratch.path("link")).unwrap();
    assert_eq!(scratch.apply_once(&[]).status, 0);
    scratch.write("c/stray", "");
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.contains(" 1 change ") || ran.err.contains(" 1 change "), "{}{}", ran.out, ran.err);
    assert_eq!(names(&scratch.path("c")), ["a.gz", "a.tar", "also", "k", "keep", "l", "lines", "m", "passed", "x"]);
}

/// A bind mount, unmounted on drop.
struct BindMount<'s>(&'s Path);

impl BindMount<'_> {
    fn new<'s>(from: &Path, to: &'s Path) -> Option<BindMount<'s>> {
        let mounted = std::process::Command::new("mount").arg("--bind").args([from, to]).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(BindMount(to));
        }
        test_support::skip("mounting is not permitted here");
        None
    }
}

impl Drop for BindMount<'_> {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

#[test]
fn purge_knows_managed_files_below_a_bind_mount() {
    let scratch = Scratch::new(
        r#"
file "@/c/" { state => "exists", recurse => true, purge => true, }
file "@/bound/k" { state => "exists", content => "x", }
file "@/bound/sub/l" { state => "exists", content => "x", }
"#,
    );
    for directory in ["c", "c/sub", "bound"] {
        fs::create_dir(scratch.path(directory)).unwrap();
    }
    let (from, to) = (scratch.path("c"), scratch.path("bound"));
    let Some(_mount) = BindMount::new(&from, &to) else { return };
    assert_eq!(scratch.apply_once(&[]).status, 0);
    scratch.write("c/stray", "");
    scratch.write("c/sub/stray", "");
    let ran = scratch.apply_once(&[]);
    assert!(ran.out.contains(" 2 changes ") || ran.err.contains(" 2 changes "), "{}{}", ran.out, ran.err);
    assert_eq!((names(&from), names(&from.join("sub"))), (vec!["k".into(), "sub".into()], vec!["l".into()]));
}

#[test]
fn purge_bears_other_programs_that_remove_strays() {
    let files: String =
        (0..30).map(|i| format!("file \"@/c/f{i}\" {{ state => \"exists\", content => \"x\", }}\n")).collect();
    let scratch =
        Scratch::new(&format!("file \"@/c/\" {{ state => \"exists\", recurse => true, purge => true, }}\n{files}"));
    scratch.build();
    fs::create_dir(scratch.path("c")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for i in 0..50 {
                    let _ = fs::write(scratch.path(&format!("c/s{i}")), "");
                }
                for i in 0..50 {
                    let _ = fs::remove_file(scratch.path(&format!("c/s{i}")));
                }
            }
        });
        for _ in 0..10 {
            let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
            assert_eq!(ran.status, 0, "{}", ran.err);
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_managed_file_in_a_purged_directory_is_repaired_again_and_again() {
    let scratch = Scratch::new(
        r#"
file "@/c/" { state => "exists", recurse => true, purge => true, }
file "@/c/a.conf" { state => "exists", content => "right\n", }
"#,
    );
    scratch.build();
    let mut agent = scratch.command("mgmt-rt", &["apply", "main.bin", "--prefix", "state"]).spawn().unwrap();
    for _ in 0..20 {
        eventually("the file is repaired", || scratch.read("c/a.conf").as_deref() == Some("right\n"));
        fs::write(scratch.path("c/a.conf"), "junk").unwrap();
    }
    eventually("the file is repaired", || scratch.read("c/a.conf").as_deref() == Some("right\n"));
    agent.kill().unwrap();
    agent.wait().unwrap();
}

#[test]
fn nothing_is_left_of_a_killed_run_after_the_next_start() {
    let files: String = (0..300)
        .map(|i| format!("file \"@/c/f{i}\" {{ state => \"exists\", content => \"version @V\", }}\n"))
        .collect();
    let line = "line \"l\" { file => \"@/d/f\", content => \"version @V\", state => \"exists\", }\n";
    let scratch = Scratch::new("");
    fs::create_dir(scratch.path("c")).unwrap();
    fs::create_dir(scratch.path("d")).unwrap();
    for version in ["1", "2"] {
        scratch.write("main.mcl", &format!("{files}{line}").replace("@V", version));
        scratch.build();
        fs::rename(scratch.path("main.bin"), scratch.path(&format!("v{version}.bin"))).unwrap();
    }
    scratch.write("main.mcl", "noop \"n\" {}\n");
    for round in 0..15 {
        let program = format!("v{}.bin", round % 2 + 1);
        let mut run = scratch.command("mgmt-rt", &["apply", &program, "--once", "--prefix", "state"]).spawn().unwrap();
        let is_temporary = |name: &String| name.starts_with(".mgmt-tmp-");
        eventually("it writes, or ends", || {
            names(&scratch.path("c")).iter().any(is_temporary) || run.try_wait().unwrap().is_some()
        });
        let _ = run.kill();
        run.wait().unwrap();
        let ran = scratch.apply_once(&[]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        let left: Vec<String> = [names(&scratch.path("c")), names(&scratch.path("d"))].concat();
        assert!(!left.iter().any(is_temporary), "{left:?}");
    }
}

#[test]
fn a_program_that_others_can_change_is_not_applied() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new("file \"@/x\" { state => \"exists\", content => \"x\", }\n");
    scratch.build();
    fs::create_dir(scratch.path("theirs")).unwrap();
    fs::copy(scratch.path("main.bin"), scratch.path("theirs/main.bin")).unwrap();
    chown(scratch.path("theirs"), Some(NOBODY), None).unwrap();
    let apply = |program: &str| scratch.run("mgmt-rt", &["apply", program, "--once", "--prefix", "state"]);
    let assert_refused = |program: &str| {
        let ran = apply(program);
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(ran.err.contains("R0414"), "{}", ran.err);
        assert!(!scratch.path("x").exists());
        assert!(scratch.run("mgmt-rt", &["plan", program]).err.contains("warning[R0414]"));
    };
    assert_refused("theirs/main.bin");
    fs::set_permissions(scratch.path("main.bin"), fs::Permissions::from_mode(0o666)).unwrap();
    assert_refused("main.bin");
    fs::set_permissions(scratch.path("main.bin"), fs::Permissions::from_mode(0o644)).unwrap();
    chown(scratch.path("main.bin"), Some(NOBODY), None).unwrap();
    assert_refused("main.bin");
    chown(scratch.path("main.bin"), Some(0), None).unwrap();
    assert_eq!(apply("main.bin").status, 0);
}

#[test]
fn a_prefix_that_others_can_change_is_not_used() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new("noop \"n\" {}\n");
    scratch.build();
    fs::create_dir_all(scratch.path("state/engine/reversals")).unwrap();
    let planted =
        format!(r#"{{"kind":"exec","name":"touch {}","params":{{}},"sensitive":[]}}"#, scratch.path("owned").display());
    fs::write(scratch.path("state/engine/reversals/exec-x"), planted).unwrap();
    for path in ["state", "state/engine", "state/engine/reversals"] {
        chown(scratch.path(path), Some(NOBODY), None).unwrap();
        let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(ran.err.contains("R0410"), "{}", ran.err);
        chown(scratch.path(path), Some(0), None).unwrap();
    }
    let ran = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
    assert!(ran.err.contains("invalid stored reversal"), "{}", ran.err);
    assert!(!scratch.path("owned").exists());
}
