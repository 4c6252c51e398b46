//! The whole agent on real directories, driven through its handle.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use mcl_value::Value;
use resource_engine::{EngineGraph, GraphPatch, StopLevel};
use resource_graph::{Edge, Endpoint, Resource, ResourceGraph, ResourceId, VertexId};
use resources::StateDir;
use shared_store::{Export, SharedStore};
use test_support::eventually;

use crate::agent::{Agent, AgentHandle, AgentOptions, Event, Message, Observer, Summary};

/// Sends a line an event.
struct Recorder(Sender<String>);

impl Observer for Recorder {
    fn event(&mut self, event: Event<'_>) {
        let line = match event {
            Event::Changed { resource, change, .. } => format!("{}: {}", resource.id, change.text),
            Event::Message { id, text } => format!("{id} says {text}"),
            Event::Failed { resource, failure, .. } => format!("{} failed: {failure}", resource.id),
            Event::Swapped { vertices, kept, .. } => format!("graph of {vertices}, {kept} kept"),
            Event::Converged(_) => "converged".to_owned(),
            Event::Diverged => "diverged".to_owned(),
            Event::Problem(problem) => format!("problem: {}", problem.message),
            Event::Recovered { resource } => format!("{} works again", resource.id),
            Event::Reloading => "reloading".to_owned(),
            Event::Reloaded(_) => "reloaded".to_owned(),
            Event::Status(report) => format!("{} failing", report.failing.len()),
            Event::Stopping(text) => text.to_owned(),
        };
        let _ = self.0.send(line);
    }
}

/// An agent on a thread of its own, in a scratch directory.
struct Running {
    dir: tempfile::TempDir,
    lines: Receiver<String>,
    handle: AgentHandle,
    thread: JoinHandle<Summary>,
}

impl Running {
    fn start(options: fn(&Path) -> AgentOptions) -> Running {
        let dir = tempfile::tempdir().unwrap();
        let (lines_in, lines) = channel();
        let (handle_in, handle_out) = channel();
        let options = options(dir.path());
        let thread = std::thread::spawn(move || {
            let mut recorder = Recorder(lines_in);
            let mut agent = Agent::new(options, &mut recorder).unwrap();
            handle_in.send(agent.handle()).unwrap();
            agent.run()
        });
        Running { dir, lines, handle: handle_out.recv().unwrap(), thread }
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.dir.path().display())
    }

    fn file(&self, name: &str) -> Resource {
        Resource::new(ResourceId::new("file", self.path(name))).with("state", "exists")
    }

    fn swap(&self, graph: &ResourceGraph) {
        self.handle.send(Message::Graph(Box::new(EngineGraph::grouped(graph).unwrap())));
    }

    /// Waits for a line with that text, for at most ten seconds.
    #[track_caller]
    fn wait(&self, text: &str) -> String {
        let end = Instant::now() + Duration::from_secs(10);
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => seen.push(line),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("no line with {text:?}, only {seen:#?}")
                }
            }
        }
    }

    /// The state that hosts share.
    fn world(&self) -> SharedStore {
        StateDir::read_only(&self.dir.path().join("prefix")).shared_store()
    }

    fn stop(self) -> Summary {
        self.handle.send(Message::Stop(StopLevel::Finish));
        self.thread.join().unwrap()
    }

    /// Waits until the agent ends by itself.
    fn join(self) -> (Summary, Vec<String>, tempfile::TempDir) {
        let summary = self.thread.join().unwrap();
        (summary, self.lines.try_iter().collect(), self.dir)
    }
}

fn once(dir: &Path) -> AgentOptions {
    AgentOptions { once: true, state: StateDir::open(&dir.join("prefix")).ok(), ..AgentOptions::default() }
}

fn daemon(dir: &Path) -> AgentOptions {
    AgentOptions { once: false, ..once(dir) }
}

fn graph(resources: Vec<Resource>) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    for resource in resources {
        graph.add(resource);
    }
    graph
}

fn edge(from: u32, to: u32, notify: bool) -> Edge {
    Edge { from: VertexId(from), to: VertexId(to), notify, autoedge: false }
}

#[test]
fn once_applies_everything_and_ends() {
    let agent = Running::start(once);
    let files = (0..200).map(|i| agent.file(&format!("f{i}")).with("content", format!("{i}\n")));
    agent.swap(&graph(files.collect()));
    let (summary, _, dir) = agent.join();
    assert!(summary.is_success(), "{summary:?}");
    assert_eq!((summary.total, summary.done, summary.changes), (200, 200, 200));
    assert_eq!(fs::read_to_string(dir.path().join("f199")).unwrap(), "199\n");
}

#[test]
fn changed_files_are_restored() {
    let agent = Running::start(daemon);
    let mut graph = graph(vec![agent.file("x").with("content", "good\n"), agent.file("d/")]);
    graph.add_edge(edge(0, 1, false));
    agent.swap(&graph);
    agent.wait("x]: create");
    agent.wait("d/]: create");
    fs::remove_file(agent.path("x")).unwrap();
    agent.wait("x]: create");
    fs::write(agent.path("x"), "bad").unwrap();
    agent.wait("x]: change the content");
    fs::remove_dir(agent.path("d")).unwrap();
    agent.wait("d/]: create");
    fs::rename(agent.path("x"), agent.path("elsewhere")).unwrap();
    agent.wait("x]: create");
    assert_eq!(fs::read_to_string(agent.path("x")).unwrap(), "good\n");
    let summary = agent.stop();
    assert!(summary.is_success(), "{summary:?}");
}

#[test]
fn fight_with_another_program_is_reported_once_and_damped() {
    let agent = Running::start(daemon);
    agent.swap(&graph(vec![agent.file("x").with("content", "good\n"), agent.file("y").with("content", "good\n")]));
    agent.wait("y]: create");
    let end = Instant::now() + Duration::from_secs(60);
    let mut lines: Vec<String> = Vec::new();
    while !lines.iter().any(|line| line.contains("again and again")) {
        assert!(Instant::now() < end, "not reported after {} lines", lines.len());
        fs::write(agent.path("x"), "bad").unwrap();
        lines.extend(agent.lines.try_iter());
    }
    // The other resource is repaired at once.
    for _ in 0..3 {
        fs::write(agent.path("x"), "bad").unwrap();
        fs::write(agent.path("y"), "bad").unwrap();
        agent.wait("y]: change the content");
    }
    let (handle, thread) = (agent.handle.clone(), agent.thread);
    handle.send(Message::Stop(StopLevel::Finish));
    assert!(thread.join().unwrap().changes < 1000);
    assert_eq!(lines.iter().filter(|line| line.contains("again and again")).count(), 1);
}

#[test]
fn unwanted_file_is_removed_again() {
    let agent = Running::start(daemon);
    let unwanted = Resource::new(ResourceId::new("file", agent.path("x"))).with("state", "absent");
    agent.swap(&graph(vec![unwanted, agent.file("mark")]));
    agent.wait("mark]: create");
    fs::write(agent.path("x"), "").unwrap();
    agent.wait("x]: remove");
    agent.stop();
}

#[test]
fn failure_blocks_only_what_depends_on_it() {
    let agent = Running::start(once);
    let bad = agent.file("missing/x").with("content", "c");
    let mut graph = graph(vec![bad, agent.file("dependent"), agent.file("other")]);
    graph.add_edge(edge(0, 1, false));
    agent.swap(&graph);
    let (summary, lines, dir) = agent.join();
    assert!(!summary.is_success());
    assert_eq!((summary.failed.len(), summary.blocked.len(), summary.done), (1, 1, 1));
    assert!(lines.iter().any(|l| l.contains("missing does not exist; declare")), "{lines:?}");
    assert!(dir.path().join("other").exists() && !dir.path().join("dependent").exists());
}

#[test]
fn received_value_becomes_content() {
    let agent = Running::start(once);
    let echo = Resource::new(ResourceId::new("exec", "echo")).with("cmd", "/bin/echo hello");
    let mut graph = graph(vec![echo, agent.file("x")]);
    let end = |vertex: u32, key: &str| Endpoint { vertex: VertexId(vertex), key: key.into() };
    graph.connect(end(0, "stdout"), end(1, "content")).unwrap();
    agent.swap(&graph);
    let (summary, lines, dir) = agent.join();
    assert!(summary.is_success(), "{lines:?}");
    assert_eq!(fs::read_to_string(dir.path().join("x")).unwrap(), "hello\n");
}

#[test]
fn notification_reaches_a_listener_once() {
    let agent = Running::start(daemon);
    let listener = Resource::new(ResourceId::new("print", "p")).with("msg", "told").with("refresh_only", true);
    let mut graph = graph(vec![agent.file("x").with("content", "1"), listener]);
    graph.add_edge(edge(0, 1, true));
    agent.swap(&graph);
    agent.wait("print[p] says Msg: told");
    fs::write(agent.path("x"), "2").unwrap();
    agent.wait("print[p] says Msg: told");
    // It is written down until the listener's check has ended.
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let journal = fs::read_to_string(agent.path("prefix/engine/refresh")).unwrap();
        if journal.matches('+').count() == 2 && journal.matches('-').count() == 2 {
            break;
        }
        assert!(Instant::now() < end, "{journal}");
        std::thread::yield_now();
    }
    agent.stop();
}

#[test]
fn unchanged_resources_are_kept_by_a_swap() {
    let agent = Running::start(daemon);
    let x = agent.file("x").with("content", "1");
    agent.swap(&graph(vec![x.clone(), agent.file("y").with("content", "1")]));
    agent.wait("y]: create");
    agent.swap(&graph(vec![x, agent.file("y").with("content", "two")]));
    agent.wait("graph of 2, 1 kept");
    agent.wait("y]: change the content (1 to 3 bytes)");
    agent.stop();
}

#[test]
fn hundred_waiting_commands_run_side_by_side() {
    let agent = Running::start(once);
    let sleep = |i: u32| Resource::new(ResourceId::new("exec", i.to_string())).with("cmd", "/bin/sleep 0.5");
    agent.swap(&graph((0..100).map(sleep).collect()));
    let started = Instant::now();
    let (summary, ..) = agent.join();
    assert!(summary.is_success());
    // One after the other would take 50 seconds.
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn second_request_to_stop_ends_a_running_command() {
    let agent = Running::start(daemon);
    let started = agent.path("started");
    let line = format!("echo > {started}; exec /bin/sleep 60");
    let sleep = Resource::new(ResourceId::new("exec", "s")).with("cmd", line).with("shell", "/bin/sh");
    agent.swap(&graph(vec![sleep]));
    let end = Instant::now() + Duration::from_secs(10);
    while !Path::new(&started).exists() {
        assert!(Instant::now() < end, "the command never starts");
        std::thread::yield_now();
    }
    let asked = Instant::now();
    agent.handle.send(Message::Stop(StopLevel::Finish));
    agent.handle.send(Message::Stop(StopLevel::Cancel));
    let summary = agent.thread.join().unwrap();
    assert!(summary.interrupted && asked.elapsed() < Duration::from_secs(10));
}

#[test]
fn command_that_takes_too_long_is_ended_and_says_so() {
    let agent = Running::start(once);
    let mut sleep = Resource::new(ResourceId::new("exec", "s")).with("cmd", "/bin/sleep 60");
    (sleep.meta.timeout, sleep.meta.retry) = (500, 1);
    let started = Instant::now();
    agent.swap(&graph(vec![sleep]));
    let (summary, lines, _dir) = agent.join();
    assert_eq!(summary.failed.len(), 1);
    assert_eq!(lines.iter().filter(|line| line.contains("timeout after 0.500 seconds")).count(), 2, "{lines:?}");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn watching_command_causes_checks() {
    let agent = Running::start(daemon);
    let exec = Resource::new(ResourceId::new("exec", "e"))
        .with("cmd", "/bin/echo ran")
        .with("watchcmd", "echo event; exec /bin/sleep 60")
        .with("watchshell", "/bin/sh");
    agent.swap(&graph(vec![exec]));
    agent.wait("exec[e]: run");
    agent.wait("exec[e]: run");
    agent.stop();
}

#[test]
fn endless_failure_is_told_once_and_recovers_with_its_dependents() {
    let agent = Running::start(daemon);
    let mut waiting = agent.file("later/x").with("content", "c");
    (waiting.meta.retry, waiting.meta.delay) = (-1, 1);
    let mut graph = graph(vec![waiting, agent.file("dependent")]);
    graph.add_edge(edge(0, 1, false));
    agent.swap(&graph);
    agent.wait("later does not exist; declare");
    let end = Instant::now() + Duration::from_millis(100);
    while Instant::now() < end {
        assert_eq!(agent.lines.try_recv().ok(), None, "told again");
        std::thread::yield_now();
    }
    fs::create_dir(agent.path("later")).unwrap();
    agent.wait("dependent]: create");
    assert!(agent.stop().is_success());
}

#[test]
fn converged_timeout_ends_the_agent() {
    let agent =
        Running::start(|dir| AgentOptions { converged_timeout: Some(Duration::from_millis(100)), ..daemon(dir) });
    agent.swap(&graph(vec![agent.file("x")]));
    let (summary, lines, _dir) = agent.join();
    assert!(summary.is_success());
    assert_eq!(lines.last().map(String::as_str), Some("converged"));
}

#[test]
fn invalid_received_value_fails_its_receiver_alone() {
    let agent = Running::start(once);
    let echo = Resource::new(ResourceId::new("exec", "echo")).with("cmd", "/bin/echo -n nonsense");
    let mut graph = graph(vec![echo, agent.file("x"), agent.file("y")]);
    let end = |vertex: u32, key: &str| Endpoint { vertex: VertexId(vertex), key: key.into() };
    graph.connect(end(0, "stdout"), end(1, "mode")).unwrap();
    agent.swap(&graph);
    let (summary, lines, _dir) = agent.join();
    assert_eq!((summary.failed.len(), summary.done), (1, 2), "{lines:?}");
    assert!(lines.iter().any(|l| l.contains("mode")), "{lines:?}");
}

#[test]
fn full_disk_is_one_clear_error_and_the_old_file_stays() {
    let agent = Running::start(once);
    let mount = agent.path("small");
    fs::create_dir(&mount).unwrap();
    let options = "size=64k,nr_inodes=64";
    let mounted = std::process::Command::new("mount").args(["-t", "tmpfs", "-o", options, "none", &mount]).output();
    if !mounted.is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: a small file system cannot be mounted here");
        agent.stop();
        return;
    }
    fs::write(format!("{mount}/x"), "old").unwrap();
    let big = agent.file("small/x").with("content", "n".repeat(200_000));
    agent.swap(&graph(vec![big, agent.file("elsewhere")]));
    let (summary, lines, dir) = agent.join();
    let left: Vec<_> = fs::read_dir(&mount).unwrap().map(|e| e.unwrap().file_name()).collect();
    let content = fs::read_to_string(format!("{mount}/x")).unwrap();
    let _ = std::process::Command::new("umount").arg(&mount).status();
    assert!(lines.iter().any(|l| l.ends_with("small/x: no space left on device")), "{lines:?}");
    assert_eq!((content.as_str(), left.len(), summary.failed.len()), ("old", 1, 1));
    assert!(dir.path().join("elsewhere").exists());
}

#[test]
fn value_of_another_type_is_refused() {
    let mut resource = Resource::new(ResourceId::new("file", "/x"));
    resource.params.insert("content".into(), Value::Int(1));
    assert!(resources::build(&[resource]).is_err());
}

#[test]
fn reversible_resource_is_undone_once_when_it_leaves_the_program() {
    let agent = Running::start(daemon);
    let path = agent.path("f");
    fs::write(&path, "before").unwrap();
    let mut file = Resource::new(ResourceId::new("file", path.as_str())).with("content", "managed");
    file.meta.reverse = true;
    agent.swap(&graph(vec![file]));
    agent.wait("change the content (6 to 7 bytes)");
    assert_eq!(fs::read_to_string(&path).unwrap(), "managed");
    agent.swap(&graph(vec![agent.file("other")]));
    agent.wait("graph of 2, 0 kept");
    agent.wait("change the content (7 to 6 bytes)");
    assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    agent.swap(&graph(vec![agent.file("other")]));
    agent.wait("graph of 1, 1 kept");
    assert!(agent.stop().is_success());
}

#[test]
fn patch_replaces_single_resources() {
    let agent = Running::start(daemon);
    let y = |content: &str| agent.file("y").with("content", content);
    agent.swap(&graph(vec![agent.file("x").with("content", "1"), y("1")]));
    agent.wait("y]: create");
    agent.handle.send(Message::Patch(Box::new(GraphPatch::of_values(vec![y("two").into()]))));
    agent.wait("graph of 2, 1 kept");
    agent.wait("y]: change the content (1 to 3 bytes)");
    agent.handle.send(Message::Patch(Box::new(GraphPatch::of_values(vec![y("two").into()]))));
    agent.wait("graph of 2, 2 kept");
    agent.stop();
}

#[test]
fn reversals_make_whole_graphs_necessary() {
    let agent = Running::start(daemon);
    let path = agent.path("f");
    fs::write(&path, "before").unwrap();
    let mut file = Resource::new(ResourceId::new("file", path.as_str())).with("content", "managed");
    file.meta.reverse = true;
    agent.swap(&graph(vec![file]));
    agent.wait("change the content (6 to 7 bytes)");
    let other = |content: &str| agent.file("other").with("content", content);
    agent.swap(&graph(vec![other("1")]));
    agent.wait("change the content (7 to 6 bytes)");
    assert!(!agent.handle.take_graph_request());
    agent.handle.send(Message::Patch(Box::new(GraphPatch::of_values(vec![other("2").into()]))));
    eventually("a request for a whole graph", || agent.handle.take_graph_request());
    agent.swap(&graph(vec![other("3")]));
    agent.wait("graph of 1, 0 kept");
    agent.handle.send(Message::Patch(Box::new(GraphPatch::of_values(vec![other("4").into()]))));
    agent.wait("graph of 1, 0 kept");
    assert!(!agent.handle.take_graph_request(), "the reversal is gone");
    agent.stop();
}

#[test]
fn exit_resource_ends_the_run_with_its_status() {
    let agent = Running::start(daemon);
    agent.swap(&graph(vec![agent.file("a"), Resource::new(ResourceId::new("exit", "e")).with("code", 7)]));
    let (summary, _, _dir) = agent.join();
    assert_eq!(summary.exit_status, Some(7));
}

#[test]
fn stored_key_is_watched_from_the_first_check_on() {
    let agent = Running::start(daemon);
    agent.swap(&graph(vec![Resource::new(ResourceId::new("kv", "k")).with("value", "1")]));
    agent.wait("set key k");
    agent.world().set_string("k", Some(b"2"), false).unwrap();
    agent.wait("set key k");
    assert!(agent.stop().is_success());
}

/// A resource that this host publishes for all.
fn published(name: &str) -> Resource {
    let mut resource = Resource::new(ResourceId::new("print", name)).with("msg", "x");
    resource.meta.hidden = true;
    resource.meta.export = vec!["*".to_owned()];
    resource
}

#[test]
fn exports_are_published_and_taken_back_with_their_resource() {
    let agent = Running::start(daemon);
    let names = |world: &SharedStore| -> Vec<String> {
        world.own_exports().unwrap().into_iter().map(|export| export.name).collect()
    };
    // Left by an earlier process.
    let stale = Export { kind: "print".into(), name: "stale".into(), to: "*".into() };
    agent.world().export(&stale, "data").unwrap();
    agent.swap(&graph(vec![published("a"), published("b")]));
    agent.wait("export to all hosts");
    agent.wait("export to all hosts");
    assert_eq!(names(&agent.world()), ["a", "b"]);
    agent.swap(&graph(vec![published("b"), agent.file("f")]));
    agent.wait("graph of 2, 1 kept");
    agent.wait("create");
    assert_eq!(names(&agent.world()), ["b"]);
    // Nothing is taken back at the end.
    let world = agent.world();
    agent.handle.send(Message::Stop(StopLevel::Finish));
    let (summary, _, _dir) = agent.join();
    assert!(summary.is_success());
    assert_eq!(names(&world), ["b"]);
}
