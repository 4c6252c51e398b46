//! `mgmt-rt` as a user runs it: once, as an agent, without permission, and on file systems that refuse writes.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::Signal;

use test_support::eventually;

use crate::support::{Scratch, is_root, ran};

const TWO_FILES: &str = r#"
file "@/out/" {
	state => "exists",
}
file "@/out/a" {
	state => "exists",
	content => "alpha\n",
	mode => "0640",
}
exec "count" {
	cmd => "echo run >> @/out/runs",
	shell => "/bin/sh",
	creates => "@/out/runs",
	Depend => File["@/out/a"],
}
"#;

#[test]
fn run_that_ends_shows_what_it_changes_but_no_secrets() {
    let program = "file \"@/f\" { state => \"exists\", content => \"new\\n\", }\n\
                   file \"@/s\" { state => \"exists\", content => \"secret\\n\", mode => \"0600\", }\n";
    let scratch = Scratch::new(program);
    scratch.write("f", "old\n");
    let ran = scratch.apply_once(&[]);
    assert!(ran.out.contains("change the content (4 bytes)\n    -old\n    +new\n"), "{}", ran.out);
    assert!(ran.out.contains("create (7 bytes)\n    content: ********\n"), "{}", ran.out);
    assert!(!ran.out.contains("secret"), "{}", ran.out);
    scratch.write("f", "old\n");
    let json = scratch.apply_once(&["--log-format", "json"]);
    assert!(json.out.lines().all(|line| line.starts_with('{')), "{}", json.out);
}

#[test]
fn second_run_changes_nothing() {
    let scratch = Scratch::new(TWO_FILES);
    let first = scratch.apply_once(&[]);
    assert_eq!(first.status, 0, "{}{}", first.out, first.err);
    assert_eq!(scratch.read("out/a").as_deref(), Some("alpha\n"));
    let mode = std::fs::metadata(scratch.path("out/a")).expect("it exists").permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    assert_eq!(scratch.run("mgmt-rt", &["plan", "main.bin"]).status, 0);
    let second = scratch.apply_once(&[]);
    assert_eq!(second.status, 0);
    assert_eq!(scratch.read("out/runs").as_deref(), Some("run\n"));
}

#[test]
fn noop_and_plan_change_nothing() {
    let scratch = Scratch::new(TWO_FILES);
    let noop = scratch.apply_once(&["--noop"]);
    assert_eq!(noop.status, 0, "{}{}", noop.out, noop.err);
    let plan = scratch.run("mgmt-rt", &["plan", "main.bin"]);
    assert_eq!(plan.status, 3, "{}{}", plan.out, plan.err);
    assert!(plan.out.contains("create (6 bytes)\n    content: ********\n"), "the mode is private: {}", plan.out);
    assert!(!scratch.path("out").exists());
}

#[test]
fn agent_reverts_manual_changes_until_interrupted() {
    let scratch = Scratch::new(TWO_FILES);
    scratch.build();
    let mut agent = scratch.apply(&[]);
    eventually("the file is made", || scratch.read("out/a").as_deref() == Some("alpha\n"));
    std::fs::remove_file(scratch.path("out/a")).expect("it exists");
    eventually("the deleted file is back", || scratch.read("out/a").as_deref() == Some("alpha\n"));
    std::fs::write(scratch.path("out/a"), "changed").expect("writable");
    eventually("the changed file is back", || scratch.read("out/a").as_deref() == Some("alpha\n"));
    // Moved in one step: the agent would restore a tree while it is being deleted.
    std::fs::rename(scratch.path("out"), scratch.path("gone")).expect("it exists");
    eventually("the directory is back", || scratch.read("out/a").as_deref() == Some("alpha\n"));
    agent.signal(Signal::INT);
    assert_eq!(agent.ends(), 0);
}

#[test]
fn agent_exits_after_the_converged_timeout() {
    let scratch = Scratch::new(TWO_FILES);
    scratch.build();
    let mut agent = scratch.apply(&["--converged-timeout", "1"]);
    assert_eq!(agent.ends(), 0);
    assert_eq!(scratch.read("out/a").as_deref(), Some("alpha\n"));
}

#[test]
fn program_follows_the_files_it_reads() {
    let scratch = Scratch::new(
        "import \"os\"\nfile \"@/copy\" {\n\tstate => \"exists\",\n\tcontent => os.readfile(\"@/source\"),\n}\n",
    );
    scratch.write("source", "one");
    scratch.build();
    let _agent = scratch.apply(&[]);
    eventually("the first content is copied", || scratch.read("copy").as_deref() == Some("one"));
    scratch.write("source", "two");
    eventually("the second content is copied", || scratch.read("copy").as_deref() == Some("two"));
}

#[test]
fn deploy_tar_archives_the_running_program() {
    let scratch = Scratch::new("deploy:tar \"@/program.tar\" {}\n");
    scratch.write("metadata.yaml", "main: main.mcl\n");
    let built = scratch.run("mclc", &["build", "metadata.yaml", "-o", "main.bin"]);
    assert_eq!(built.status, 0, "{}{}", built.out, built.err);
    let applied = scratch.run("mgmt-rt", &["apply", "main.bin", "--once", "--prefix", "state"]);
    assert_eq!(applied.status, 0, "{}{}", applied.out, applied.err);
    let list = Command::new("tar").args(["-tPf"]).arg(scratch.path("program.tar")).output().expect("tar is there");
    assert_eq!(String::from_utf8_lossy(&list.stdout), "/main.mcl\n/metadata.yaml\n");
    assert_eq!(scratch.run("mgmt-rt", &["plan", "main.bin"]).status, 0, "the archive is reproducible");
}

#[test]
fn failed_resource_stops_only_its_dependents() {
    let scratch = Scratch::new(
        r#"
exec "bad" {
	cmd => "/bin/false",
}
file "@/after" {
	state => "exists",
	Depend => Exec["bad"],
}
file "@/beside" {
	state => "exists",
}
"#,
    );
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("exec[bad]"), "{}", ran.err);
    assert!(scratch.path("beside").exists());
    assert!(!scratch.path("after").exists());
}

#[test]
fn corrupted_artifact_is_one_error() {
    let scratch = Scratch::new("noop \"n\" {}\n");
    scratch.build();
    let good = std::fs::read(scratch.path("main.bin")).expect("built");
    for (name, bytes) in [
        ("empty", Vec::new()),
        ("truncated", good[..good.len() - 3].to_vec()),
        ("foreign", b"\x7fELF and so on and so on and so on and so on and so on".to_vec()),
        ("source", b"noop \"n\" {}\n".to_vec()),
    ] {
        std::fs::write(scratch.path("main.bin"), bytes).expect("writable");
        for command in
            [&["graph", "main.bin"][..], &["plan", "main.bin"], &["apply", "main.bin", "--once", "--tmp-prefix"]]
        {
            let ran = scratch.run("mgmt-rt", command);
            assert_eq!(ran.status, 1, "{name} {command:?}: {}", ran.err);
            assert_eq!(ran.err.matches("A01").count(), 1, "{name} {command:?}: {}", ran.err);
            assert!(!ran.err.contains("panicked"), "{}", ran.err);
        }
    }
    assert_eq!(scratch.run("mgmt-rt", &["graph", "missing.bin"]).status, 2);
}

#[test]
fn read_only_file_system_is_one_error_and_keeps_the_old_content() {
    if !is_root() {
        eprintln!("skipped: mounting needs root");
        return;
    }
    let scratch = Scratch::new("file \"@/ro/a\" {\n\tstate => \"exists\",\n\tcontent => \"new\",\n}\n");
    std::fs::create_dir(scratch.path("ro")).expect("writable");
    let Some(_mount) = Mount::new(&scratch.path("ro"), "size=64k") else { return };
    std::fs::write(scratch.path("ro/a"), "old").expect("writable");
    assert!(Mount::remount_read_only(&scratch.path("ro")));
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.to_lowercase().contains("read-only"), "{}", ran.err);
    assert_eq!(scratch.read("ro/a").as_deref(), Some("old"));
}

#[test]
fn full_disk_is_one_error_and_keeps_the_old_content() {
    if !is_root() {
        eprintln!("skipped: mounting needs root");
        return;
    }
    let big = "x".repeat(200_000);
    let scratch =
        Scratch::new(&format!("file \"@/small/a\" {{\n\tstate => \"exists\",\n\tcontent => \"{big}\",\n}}\n"));
    std::fs::create_dir(scratch.path("small")).expect("writable");
    let Some(_mount) = Mount::new(&scratch.path("small"), "size=64k") else { return };
    std::fs::write(scratch.path("small/a"), "old").expect("writable");
    let ran = scratch.apply_once(&[]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.to_lowercase().contains("no space"), "{}", ran.err);
    assert_eq!(scratch.read("small/a").as_deref(), Some("old"));
    let left: Vec<_> = std::fs::read_dir(scratch.path("small")).expect("mounted").collect();
    assert_eq!(left.len(), 1, "no temporary file is left");
}

/// A small in-memory file system, unmounted on drop.
pub struct Mount(std::path::PathBuf);

impl Mount {
    pub fn new(at: &std::path::Path, options: &str) -> Option<Mount> {
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).output();
        if mount.is_ok_and(|o| o.status.success()) {
            return Some(Mount(at.to_owned()));
        }
        eprintln!("skipped: mounting a file system is not permitted here");
        None
    }

    fn remount_read_only(at: &std::path::Path) -> bool {
        Command::new("mount").args(["-o", "remount,ro"]).arg(at).status().is_ok_and(|s| s.success())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn ordinary_user_applies_what_permissions_allow() {
    if !is_root() {
        eprintln!("skipped: becoming another user needs root; every other test runs as an ordinary user already");
        return;
    }
    const NOBODY: u32 = 65534;
    let scratch = Scratch::new("file \"@/own/a\" {\n\tstate => \"exists\",\n\tcontent => \"mine\",\n}\n");
    scratch.build();
    std::fs::create_dir(scratch.path("own")).expect("writable");
    std::os::unix::fs::chown(scratch.path("own"), Some(NOBODY), Some(NOBODY)).expect("root may");
    std::fs::set_permissions(scratch.path("."), std::fs::Permissions::from_mode(0o755)).expect("root may");
    // The build directory may be readable for root only, so the tool is copied next to the program. Another process copies
    // it: a child that another thread starts meanwhile would inherit the open file of this one, and the copy could not be
    // executed ("text file busy") until that child executes something.
    let copied = Command::new("cp").arg(crate::support::bin().join("mgmt-rt")).arg(scratch.path("mgmt-rt")).status();
    assert!(copied.expect("cp is installed").success(), "the tool is readable");
    let as_nobody = |args: &[&str]| {
        let mut command = Command::new(scratch.path("mgmt-rt"));
        command.args(args).current_dir(scratch.path(".")).env("HOME", scratch.path("own")).env("NO_COLOR", "1");
        command.uid(NOBODY).gid(NOBODY);
        ran(command.output().expect("the tool starts"))
    };
    let good = as_nobody(&["apply", "main.bin", "--once", "--tmp-prefix"]);
    assert_eq!(good.status, 0, "{}{}", good.out, good.err);
    assert_eq!(scratch.read("own/a").as_deref(), Some("mine"));
    std::os::unix::fs::chown(scratch.path("own"), Some(0), Some(0)).expect("root may");
    std::fs::write(scratch.path("own/a"), "root's").expect("root may");
    let refused = as_nobody(&["apply", "main.bin", "--once", "--tmp-prefix"]);
    assert_eq!(refused.status, 1, "{}{}", refused.out, refused.err);
    assert!(refused.err.to_lowercase().contains("permission denied"), "{}", refused.err);
    assert_eq!(scratch.read("own/a").as_deref(), Some("root's"));
}
