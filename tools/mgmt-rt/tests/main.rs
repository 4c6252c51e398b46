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
use test_support::{Rng, eventually};

struct Scratch(test_support::Scratch);

impl Scratch {
    fn new() -> Scratch {
        Scratch(test_support::Scratch::new())
    }

    fn path(&self, name: &str) -> String {
        self.0.path(name).display().to_string()
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
    let edited = "edited ".repeat(100);
    let mut random = Rng::with_seed(1);
    for round in 0..300 {
        for i in 0..FILES {
            let path = scratch.path(&format!("out/f{i}"));
            if (i + round) % 3 == 0 {
                let _ = fs::remove_file(path);
            } else {
                fs::write(path, &edited).expect("write");
            }
        }
        let mut child = scratch.start(&["--once"]);
        std::thread::sleep(Duration::from_micros(random.u64(..40_000)));
        child.kill().expect("kill -9");
        child.wait().expect("it ends");
        let mut repaired = false;
        for i in 0..FILES {
            match fs::read_to_string(scratch.path(&format!("out/f{i}"))) {
                Ok(found) if found == content => repaired = true,
                Ok(found) => assert!(found == edited, "f{i} is torn in round {round}: {} bytes", found.len()),
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
            }
        }
        if repaired && round % 2 == 0 {
            // Some file was changed before the kill: the listener must be notified now, unless it was before.
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
    assert_eq!(entries.len(), FILES, "no temporary file is left: {entries:?}");
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
    fs::write(scratch.path("disk/x"), "2").expect("write");
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
fn what_was_to_be_undone_is_undone_by_the_run_after_a_kill() {
    let scratch = Scratch::new();
    fs::write(scratch.path("changed"), "before").expect("write");
    let mut made = scratch.file("made", "1");
    // Managed by its content only.
    let id = ResourceId::new("file", scratch.path("changed"));
    let mut changed = Resource::new(id).with("content", "after");
    (made.meta.reverse, changed.meta.reverse) = (true, true);
    let mut graph = ResourceGraph::new();
    graph.add(made);
    graph.add(changed);
    scratch.write_graph(&graph);
    let mut agent = scratch.start(&[]);
    let read = |name: &str| fs::read_to_string(scratch.path(name)).unwrap_or_default();
    eventually("both files are written", || read("made") == "1" && read("changed") == "after");
    agent.kill().expect("kill -9");
    agent.wait().expect("it ends");
    // A run in between, which finds both as they should be, remembers still how they were.
    assert!(scratch.apply(&["--once"]).status.success());
    let mut graph = ResourceGraph::new();
    graph.add(Resource::new(ResourceId::new("noop", "rest")));
    scratch.write_graph(&graph);
    let output = scratch.apply(&["--once"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!Path::new(&scratch.path("made")).exists());
    assert_eq!(read("changed"), "before");
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
        fs::set_permissions(scratch.0.dir(), fs::Permissions::from_mode(0o755)).expect("chmod");
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
    assert!(shown.find("secret]") < shown.find("x]"), "the order is always the same: {shown}");
    assert!(!Path::new(&scratch.path("x")).exists() && !Path::new(&scratch.path("prefix")).exists());
    assert!(scratch.apply(&["--once"]).status.success());
    let unchanged = plan();
    assert_eq!(
        (unchanged.status.code(), &*text(&unchanged.stdout)),
        (Some(0), "No changes. 2 resources are up to date.\n")
    );
    fs::write(scratch.path("x"), "one\n2\n").expect("write");
    assert!(text(&plan().stdout).contains(" one\n    -2\n    +two\n"));
}

#[test]
fn totals_count_what_failed_and_what_waits() {
    let scratch = Scratch::new();
    let mut graph = ResourceGraph::new();
    let failing = graph.add(scratch.file("missing/x", "1"));
    let waiting = graph.add(scratch.file("y", "1"));
    graph.add_edge(Edge { from: failing, to: waiting, notify: false, autoedge: false });
    graph.add(scratch.file("z", "1"));
    scratch.write_graph(&graph);
    let last_line = |output: &Output| text(&output.stdout).lines().last().unwrap_or_default().to_owned();
    let planned = scratch.command(&["plan"]).output().expect("mgmt-rt starts");
    assert_eq!(last_line(&planned), "1 change in 3 resources, 1 failed, 1 waiting");
    let applied = last_line(&scratch.apply(&["--once"]));
    assert!(applied.starts_with("1/3 resources converged, 1 change, 1 failed, 1 waiting ("), "{applied}");
}

#[test]
fn both_spellings_of_the_module_path_are_accepted() {
    let scratch = Scratch::new();
    scratch.write_graph(&ResourceGraph::new());
    for option in ["--puppet-module-path", "--puppet-modulepath"] {
        let output = scratch.command(&["plan", option, "modules"]).output().expect("mgmt-rt starts");
        assert_eq!(text(&output.stdout), "No changes. 0 resources are up to date.\n", "{}", text(&output.stderr));
    }
}

#[test]
fn without_a_graph_nothing_is_reported_as_converged() {
    let scratch = Scratch::new();
    fs::write(scratch.path("graph.bin"), "no catalog").expect("write");
    let output = scratch.apply(&["--once"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "nothing was applied\n", "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("error["), "{}", text(&output.stderr));
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
    assert_eq!(of("changed")["text"], "create (1 byte)");
    assert_eq!(of("failed")["code"], "R0403");
    assert_eq!((&of("summary")["total"], &of("summary")["done"]), (&2.into(), &1.into()));
}

/// What a file of `/proc/PID` says after that word.
fn proc_status(pid: u32, word: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix(word)).expect("a line of that name");
    line.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
}

fn interrupt(child: &Child) {
    signal(child, rustix::process::Signal::INT);
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).expect("it runs");
}

/// The same command behind a shell that does something first.
fn after(shell: &str, command: &Command) -> Command {
    let mut wrapped = Command::new("sh");
    wrapped.args(["-c", &format!("{shell}; exec \"$@\""), "sh"]).arg(command.get_program()).args(command.get_args());
    wrapped
}

#[test]
fn ten_thousand_files_need_little_memory_and_few_descriptors_and_end_at_once() {
    const FILES: usize = 10_000;
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("out")).expect("a directory");
    let mut graph = ResourceGraph::new();
    for i in 0..FILES {
        let name = format!("out/f{i}");
        fs::write(scratch.path(&name), format!("content {i}\n")).expect("write");
        graph.add(scratch.file(&name, &format!("content {i}\n")));
    }
    scratch.write_graph(&graph);
    let log = fs::File::create(scratch.path("log")).expect("a log");
    let mut command = after("ulimit -n 64", &scratch.command(&["apply", "--log-format", "json"]));
    let mut agent = command.stdin(Stdio::null()).stdout(log).spawn().expect("mgmt-rt starts");
    let log = || fs::read_to_string(scratch.path("log")).unwrap_or_default();
    eventually("the graph is in force", || log().contains("\"graph\""));
    for i in [0, 77, FILES - 1] {
        let (path, content) = (scratch.path(&format!("out/f{i}")), format!("content {i}\n"));
        fs::remove_file(&path).expect("it exists");
        eventually("the file is back", || fs::read_to_string(&path).is_ok_and(|found| found == content));
    }
    let descriptors = fs::read_dir(format!("/proc/{}/fd", agent.id())).expect("it runs").flatten();
    let open: Vec<_> = descriptors.filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
    assert!(open.len() <= 36, "{} descriptors: {open:?}", open.len());
    let inotify = open.iter().filter(|target| target.to_string_lossy().contains("inotify")).count();
    assert!(inotify <= 2, "{inotify} inotify instances");
    let memory = proc_status(agent.id(), "VmHWM:");
    assert!(memory <= 64 * 1024, "{memory} KiB");
    let asked = Instant::now();
    interrupt(&agent);
    assert_eq!(agent.wait().expect("it ends").code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    assert!(!log().contains("\"failed\":[\""), "{}", log());
}

#[test]
fn short_of_watches_it_polls_and_says_so_once() {
    let scratch = Scratch::new();
    let mut graph = ResourceGraph::new();
    for i in 0..4 {
        fs::create_dir(scratch.path(&format!("d{i}"))).expect("a directory");
        graph.add(scratch.file(&format!("d{i}/x"), "1"));
    }
    scratch.write_graph(&graph);
    let errors = fs::File::create(scratch.path("errors")).expect("a log");
    // A name space of users has its own, lower limit.
    let limit = "echo 3 > /proc/sys/user/max_inotify_watches || exit 77";
    let inner = after(limit, &scratch.command(&["apply"]));
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user"]).arg(inner.get_program()).args(inner.get_args());
    let Ok(mut agent) = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn() else {
        return eprintln!("skipped: there is no `unshare` here");
    };
    let errors = || fs::read_to_string(scratch.path("errors")).unwrap_or_default();
    let mut skipped = false;
    eventually("all files are written", || {
        skipped = agent.try_wait().is_ok_and(|status| status.is_some());
        skipped || (0..4).all(|i| Path::new(&scratch.path(&format!("d{i}/x"))).exists())
    });
    if skipped {
        return eprintln!("skipped: name spaces are not allowed here: {}", errors());
    }
    for round in 0..2 {
        for i in 0..4 {
            fs::write(scratch.path(&format!("d{i}/x")), format!("edited {round}")).expect("write");
        }
        eventually("all files are restored", || {
            (0..4).all(|i| fs::read_to_string(scratch.path(&format!("d{i}/x"))).is_ok_and(|found| found == "1"))
        });
    }
    agent.kill().expect("kill");
    agent.wait().expect("it ends");
    assert_eq!(errors().matches("max_user_watches").count(), 1, "{}", errors());
}

#[test]
fn one_interrupt_lets_a_command_finish_and_starts_nothing_more() {
    let scratch = Scratch::new();
    let (begun, go, done) = (scratch.path("begun"), scratch.path("go"), scratch.path("done"));
    let line = format!("echo > {begun}; while ! test -e {go}; do sleep 0.01; done; echo > {done}");
    let mut graph = ResourceGraph::new();
    let first = Resource::new(ResourceId::new("exec", "first")).with("cmd", line).with("shell", "/bin/sh");
    let (first, second) = (graph.add(first), graph.add(scratch.file("second", "2")));
    graph.order(first, second);
    scratch.write_graph(&graph);
    let mut agent = scratch.start(&[]);
    eventually("the command runs", || Path::new(&begun).exists());
    interrupt(&agent);
    fs::write(go, "").expect("write");
    assert_eq!(agent.wait().expect("it ends").code(), Some(0));
    assert!(Path::new(&done).exists() && !Path::new(&scratch.path("second")).exists());
}

/// An agent in the middle of a command that ignores SIGTERM and SIGINT; it logs to the file `log`.
fn start_with_a_stubborn_command(scratch: &Scratch) -> Child {
    let begun = scratch.path("begun");
    let line = format!("trap '' TERM INT; echo > {begun}; while true; do sleep 0.05; done");
    let mut graph = ResourceGraph::new();
    graph.add(Resource::new(ResourceId::new("exec", "stubborn")).with("cmd", line).with("shell", "/bin/sh"));
    scratch.write_graph(&graph);
    let log = fs::File::create(scratch.path("log")).expect("a log");
    let mut command = scratch.command(&["apply", "--log-format", "json"]);
    let agent = command.stdout(log).stderr(Stdio::null()).spawn().expect("mgmt-rt starts");
    eventually("the command runs", || Path::new(&begun).exists());
    agent
}

/// What a service manager does: the agent becomes more urgent by itself, 15 s a step (spec 06 §3.10).
#[test]
fn one_sigterm_ends_what_ignores_it_in_the_end() {
    let scratch = Scratch::new();
    let mut agent = start_with_a_stubborn_command(&scratch);
    let asked = Instant::now();
    signal(&agent, rustix::process::Signal::TERM);
    let end = asked + Duration::from_secs(60);
    let status = loop {
        match agent.try_wait().expect("a child of ours") {
            Some(status) => break status,
            None => assert!(Instant::now() < end, "it never ends"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let took = asked.elapsed();
    assert_eq!(status.code(), Some(0));
    let log = fs::read_to_string(scratch.path("log")).expect("a log");
    assert!(log.contains("interrupted by SIGTERM"), "{log}");
    let steps = [log.find("soft interrupt"), log.find("hard interrupt")];
    assert!(steps[0].is_some() && steps[0] < steps[1], "{log}");
    assert!(took >= Duration::from_secs(29), "{took:?} is too early: {log}");
}

#[test]
fn a_third_interrupt_ends_what_ignores_the_second() {
    let scratch = Scratch::new();
    let mut agent = start_with_a_stubborn_command(&scratch);
    let log = || fs::read_to_string(scratch.path("log")).unwrap_or_default();
    for said in ["interrupted by ^C\"", "soft interrupt", "hard interrupt"] {
        assert_eq!(agent.try_wait().expect("a child of ours"), None, "too early: {}", log());
        interrupt(&agent);
        eventually("the interrupt is noticed", || log().contains(said));
    }
    let asked = Instant::now();
    assert_eq!(agent.wait().expect("it ends").code(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}
