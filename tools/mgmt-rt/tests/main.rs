//! `mgmt-rt` under attack: killed at random moments, run twice, run by another user, short of watches.
//!
//! Graphs come from translated catalogs made here, so no compiler is needed.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use mcl_artifact::ArtifactStage;
use resource_graph::{Edge, Resource, ResourceGraph, ResourceId, StoredGraph, VertexId};

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(tempfile::tempdir().expect("a scratch directory"))
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.0.path().display())
    }

    fn file(&self, name: &str, content: &str) -> Resource {
        Resource::new(ResourceId::new("file", self.path(name))).with("state", "exists").with("content", content)
    }

    fn write_graph(&self, graph: &ResourceGraph) {
        let stored = StoredGraph::of(graph).expect("values without functions");
        fs::write(self.path("graph.bin"), mcl_artifact::write(ArtifactStage::Puppet, &stored)).expect("write");
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mgmt-rt"));
        command.args(args).arg("--puppet").arg(self.path("graph.bin"));
        command.arg("--prefix").arg(self.path("prefix")).stdin(Stdio::null());
        command
    }

    fn apply(&self, args: &[&str]) -> Output {
        self.command(&["apply"]).args(args).output().expect("mgmt-rt starts")
    }

    fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(&["apply"]);
        command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("mgmt-rt starts")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn eventually(what: &str, mut test: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !test() {
        assert!(Instant::now() < end, "never: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn killed_at_any_moment_files_are_old_or_new_and_refreshes_are_not_lost() {
    const FILES: usize = 40;
    let scratch = Scratch::new();
    // Large enough that a torn write would show.
    let content = "0123456789abcdef\n".repeat(4000);
    let mut graph = ResourceGraph::new();
    for i in 0..FILES {
        graph.add(scratch.file(&format!("out/f{i}"), &content));
    }
    let listener = Resource::new(ResourceId::new("print", "told")).with("msg", "told").with("refresh_only", true);
    let listener = graph.add(listener);
    for i in 0..FILES as u32 {
        graph.add_edge(Edge { from: VertexId(i), to: listener, notify: true, autoedge: false });
    }
    scratch.write_graph(&graph);
    fs::create_dir(scratch.path("out")).expect("a directory");
    let damaged = "damaged".repeat(100);
    let mut moment = 0x9E37_79B9_7F4A_7C15u64;
    for round in 0..300 {
        for i in 0..FILES {
            let path = scratch.path(&format!("out/f{i}"));
            if (i + round) % 3 == 0 {
                let _ = fs::remove_file(path);
            } else {
                fs::write(path, &damaged).expect("damage");
            }
        }
        let mut child = scratch.start(&["--once"]);
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((moment >> 33) % 40_000));
        child.kill().expect("kill -9");
        child.wait().expect("it ends");
        let mut repaired = false;
        for i in 0..FILES {
            match fs::read_to_string(scratch.path(&format!("out/f{i}"))) {
                Ok(found) if found == content => repaired = true,
                Ok(found) => assert!(found == damaged, "f{i} is torn in round {round}: {} bytes", found.len()),
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
            }
        }
        if repaired && round % 2 == 0 {
            // Some file was changed before the kill: the listener must be told now, if it was not before.
            let journal = fs::read_to_string(scratch.path("prefix/engine/refresh")).unwrap_or_default();
            let pending = journal.lines().filter(|l| l.starts_with('+')).count();
            let delivered = journal.lines().filter(|l| l.starts_with('-')).count();
            let output = scratch.apply(&["--once"]);
            assert!(output.status.success(), "{}", text(&output.stderr));
            if pending > delivered {
                assert!(text(&output.stdout).contains("Msg: told"), "{}", text(&output.stdout));
            }
        }
    }
    let output = scratch.apply(&["--once"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let entries: Vec<_> = fs::read_dir(scratch.path("out")).expect("a directory").flatten().collect();
    assert_eq!(entries.len(), FILES, "nothing is left behind: {entries:?}");
    for entry in entries {
        assert!(fs::read_to_string(entry.path()).expect("text") == content);
    }
    let output = scratch.apply(&["--once"]);
    assert!(text(&output.stdout).contains("0 changes"), "{}", text(&output.stdout));
}

#[test]
fn file_system_that_becomes_writable_again_gets_its_file() {
    let scratch = Scratch::new();
    let disk = Disk(scratch.path("disk"));
    fs::create_dir(&disk.0).expect("a directory");
    if !disk.mount("ro") {
        return eprintln!("skipped: mounting is not allowed here");
    }
    let mut graph = ResourceGraph::new();
    let mut file = scratch.file("disk/x", "1");
    (file.meta.retry, file.meta.delay) = (-1, 20);
    graph.add(file);
    scratch.write_graph(&graph);
    let log = fs::File::create(scratch.path("log")).expect("a log");
    let mut command = scratch.command(&["apply", "--log-format", "json"]);
    let mut agent = command.stdout(log).stderr(Stdio::null()).spawn().expect("mgmt-rt starts");
    let log = || fs::read_to_string(scratch.path("log")).unwrap_or_default();
    eventually("it fails", || log().contains("read-only file system"));
    assert!(disk.mount("remount,rw"), "what could be mounted can be remounted");
    eventually("the file is written", || fs::read_to_string(scratch.path("disk/x")).is_ok_and(|t| t == "1"));
    fs::write(scratch.path("disk/x"), "2").expect("damage");
    eventually("the file is watched", || fs::read_to_string(scratch.path("disk/x")).is_ok_and(|t| t == "1"));
    agent.kill().expect("kill");
    agent.wait().expect("it ends");
}

/// A file system in memory, for as long as this lives.
struct Disk(String);

impl Disk {
    fn mount(&self, options: &str) -> bool {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs", &self.0]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Without a mount there is nothing to undo.
        let _ = Command::new("umount").args(["-l", &self.0]).stderr(Stdio::null()).status();
    }
}

#[test]
fn second_agent_with_the_same_prefix_is_refused() {
    let scratch = Scratch::new();
    let mut graph = ResourceGraph::new();
    graph.add(scratch.file("x", "1"));
    scratch.write_graph(&graph);
    let mut first = scratch.start(&[]);
    eventually("the first one works", || Path::new(&scratch.path("x")).exists());
    let second = scratch.apply(&["--once"]);
    first.kill().expect("kill");
    first.wait().expect("it ends");
    assert_eq!(second.status.code(), Some(1));
    let error = text(&second.stderr);
    assert!(error.contains(&format!("process {}", first.id())), "{error}");
}

#[test]
fn ordinary_user_applies_what_it_may_and_the_rest_fails_clearly() {
    let scratch = Scratch::new();
    let mut graph = ResourceGraph::new();
    graph.add(scratch.file("mine/x", "1"));
    graph.add(scratch.file("theirs/x", "1"));
    scratch.write_graph(&graph);
    for dir in ["mine", "theirs"] {
        fs::create_dir(scratch.path(dir)).expect("a directory");
    }
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(scratch.path("mine"), Some(65534), None).expect("chown");
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(scratch.0.path(), fs::Permissions::from_mode(0o755)).expect("chmod");
    } else {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(scratch.path("theirs"), fs::Permissions::from_mode(0o555)).expect("chmod");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_mgmt-rt"));
    command.args(["apply", "--once", "--puppet"]).arg(scratch.path("graph.bin"));
    command.env_remove("XDG_STATE_HOME").env_remove("STATE_DIRECTORY").env("HOME", scratch.path("mine"));
    if root {
        command.uid(65534);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return eprintln!("skipped: another user cannot run the binary here: {error}"),
    };
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(error.contains("theirs/x: permission denied"), "{error}");
    assert_eq!(fs::read_to_string(scratch.path("mine/x")).expect("written"), "1");
    assert!(Path::new(&scratch.path("mine/.local/state/mgmt/engine")).is_dir());
}

#[test]
fn plan_tells_pending_changes_by_its_exit_status() {
    let scratch = Scratch::new();
    let mut graph = ResourceGraph::new();
    graph.add(scratch.file("x", "one\ntwo\n"));
    let mut secret = scratch.file("secret", "hunter2\n");
    secret.sensitive.push("content".into());
    graph.add(secret);
    scratch.write_graph(&graph);
    let plan = || scratch.command(&["plan"]).output().expect("mgmt-rt starts");
    let first = plan();
    let shown = text(&first.stdout);
    assert_eq!(first.status.code(), Some(3), "{shown}{}", text(&first.stderr));
    assert!(shown.contains("+one\n    +two\n") && !shown.contains("hunter2"), "{shown}");
    assert!(!Path::new(&scratch.path("x")).exists() && !Path::new(&scratch.path("prefix")).exists());
    assert!(scratch.apply(&["--once"]).status.success());
    assert_eq!(plan().status.code(), Some(0));
    fs::write(scratch.path("x"), "one\n2\n").expect("write");
    assert!(text(&plan().stdout).contains(" one\n    -2\n    +two\n"));
}

#[test]
fn log_is_one_object_a_line() {
    let scratch = Scratch::new();
    let mut graph = ResourceGraph::new();
    graph.add(scratch.file("x", "1"));
    graph.add(scratch.file("missing/x", "1"));
    scratch.write_graph(&graph);
    let output = scratch.apply(&["--once", "--log-format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
    let of = |event: &str| lines.iter().find(|l| l["event"] == event).expect("an event of that kind");
    assert_eq!(of("changed")["text"], "create (1 bytes)");
    assert_eq!(of("failed")["code"], "R0402");
    assert_eq!((&of("summary")["total"], &of("summary")["done"]), (&2.into(), &1.into()));
}
