//! Applying many files, against a plain loop that does the same system calls on the same disk in the same run.
//!
//! `cargo bench -p runtime --bench apply [-- [check] FILES…]`; the directory comes from `TMPDIR`. With `check` only the
//! checking of files that need nothing is timed, many times, for a profiler to look at.

#[path = "support/agent.rs"]
mod agent;

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use agent::{Silent, apply};
use resource_engine::StopLevel;
use resource_graph::{Resource, ResourceGraph, ResourceId};
use resources::StateDir;
use runtime::agent::{Agent, AgentOptions, Message};
use runtime::{finalize, local_host};
use test_support::min_of;

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// As many as the agent has for files.
const WORKERS: usize = 8;
const CONTENT: &str = "the content of a small configuration file\n";

fn graph(dir: &Path, files: usize) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    for i in 0..files {
        let id = ResourceId::new("file", format!("{}/f{i}", dir.display()));
        graph.add(Resource::new(id).with("state", "exists").with("content", format!("{CONTENT}{i}\n")));
    }
    graph
}

/// Times `work` for each file, spread over `threads` threads.
fn plain(files: usize, threads: usize, work: impl Fn(usize) + Sync, end: impl FnOnce()) -> Duration {
    let started = Instant::now();
    let next = AtomicUsize::new(0);
    let worker = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < files);
        while let Some(i) = take() {
            work(i);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
    end();
    started.elapsed()
}

fn plain_create(dir: &Path, files: usize, threads: usize) -> Duration {
    fs::create_dir(dir).expect("a directory");
    let create = |i: usize| {
        let (temporary, path) = (dir.join(format!(".f{i}.new")), dir.join(format!("f{i}")));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o666).open(&temporary).expect("create");
        file.write_all(format!("{CONTENT}{i}\n").as_bytes()).expect("write");
        file.sync_all().expect("sync");
        drop(file);
        fs::rename(&temporary, &path).expect("rename");
    };
    plain(files, threads, create, || File::open(dir).and_then(|d| d.sync_all()).expect("sync the directory"))
}

fn plain_check(dir: &Path, files: usize, threads: usize) -> Duration {
    let check = |i: usize| {
        let expected = format!("{CONTENT}{i}\n");
        let mut file = File::open(dir.join(format!("f{i}"))).expect("open");
        let size = file.metadata().expect("stat").len() as usize;
        let mut content = vec![0; size];
        file.read_exact(&mut content).expect("read");
        assert!(content == expected.as_bytes());
    };
    plain(files, threads, check, || ())
}

fn compare(what: &str, files: usize, ours: Duration, serial: Duration, parallel: Duration) {
    let ratio = |theirs: Duration| ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "{what} {files}: {ours:.2?}; plain loop {serial:.2?}: {:.2}; on {WORKERS} threads {parallel:.2?}: {:.2}",
        ratio(serial),
        ratio(parallel)
    );
}

/// What the process holds in memory now, in MiB.
fn resident() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// Deletes and edits files under a running agent; median and 99th percentile of the time until they are back.
fn restore(scratch: &Path, dir: &Path, files: usize) {
    let state = StateDir::open(&scratch.join("prefix")).expect("a fresh prefix");
    let (handle_in, handle_out) = channel();
    let graph = finalize(graph(dir, files), &local_host()).expect("no cycle").engine;
    let thread = std::thread::spawn(move || {
        let mut observer = Silent;
        let options = AgentOptions { state: Some(state), ..AgentOptions::default() };
        let mut agent = Agent::new(options, &mut observer).expect("an agent");
        handle_in.send(agent.handle()).expect("somebody listens");
        agent.run()
    });
    let handle = handle_out.recv().expect("an agent");
    handle.send(Message::Graph(Box::new(graph)));
    std::thread::sleep(Duration::from_secs(2));
    let memory = resident();
    let mut times = Vec::new();
    for i in 0..400usize {
        let n = i * 7919 % files;
        let path = dir.join(format!("f{n}"));
        let expected = format!("{CONTENT}{n}\n");
        if i % 2 == 0 {
            fs::remove_file(&path).expect("remove");
        } else {
            fs::write(&path, "changed").expect("writable");
        }
        let started = Instant::now();
        while fs::read(&path).ok().as_deref() != Some(expected.as_bytes()) {
            assert!(started.elapsed() < Duration::from_secs(5), "never restored");
            std::thread::sleep(Duration::from_micros(50));
        }
        times.push(started.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    times.sort();
    let asked = Instant::now();
    handle.send(Message::Stop(StopLevel::Finish));
    thread.join().expect("no panic");
    let (median, late) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!(
        "restore among {files}: median {median:.2?}, 99 % {late:.2?}; stop {:.2?}; {memory:.1} MiB",
        asked.elapsed()
    );
}

fn measure_check(scratch: &Path, ours: &Path, graph: &ResourceGraph, times: usize) {
    let files = graph.len();
    let serial = min_of(times, || plain_check(ours, files, 1));
    let parallel = min_of(times, || plain_check(ours, files, WORKERS));
    compare("check", files, min_of(times, || apply(scratch, graph)), serial, parallel);
}

/// Makes a directory with files that no resource manages.
fn unmanaged(dir: &Path, files: usize) {
    fs::create_dir_all(dir).expect("a directory");
    for i in 0..files {
        fs::write(dir.join(format!("f{i}")), CONTENT).expect("writable");
    }
}

fn measure_purge(scratch: &Path, files: usize) {
    let dir = scratch.join("purged");
    let plain_purge = |threads| {
        unmanaged(&dir, files);
        let remove = |i| fs::remove_file(dir.join(format!("f{i}"))).expect("remove");
        plain(files, threads, remove, || File::open(&dir).and_then(|d| d.sync_all()).expect("sync the directory"))
    };
    let (serial, parallel) = (min_of(3, || plain_purge(1)), min_of(3, || plain_purge(WORKERS)));
    let mut graph = ResourceGraph::new();
    let id = ResourceId::new("file", format!("{}/", dir.display()));
    graph.add(Resource::new(id).with("state", "exists").with("purge", true).with("recurse", true));
    let ours = min_of(3, || {
        unmanaged(&dir, files);
        let time = apply(scratch, &graph);
        assert_eq!(fs::read_dir(&dir).expect("readable").count(), 0, "all are removed");
        time
    });
    compare("purge", files, ours, serial, parallel);
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only_check = arguments.iter().any(|a| a == "check");
    let sizes: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![1000, 10_000] } else { sizes };
    for files in sizes {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let dir = |name: &str| scratch.path().join(name);
        let ours = dir("ours");
        let graph = graph(&ours, files);
        fs::create_dir(&ours).expect("a directory");
        if only_check {
            apply(scratch.path(), &graph);
            measure_check(scratch.path(), &ours, &graph, 20);
            continue;
        }
        let serial = plain_create(&dir("serial"), files, 1);
        let parallel = plain_create(&dir("parallel"), files, WORKERS);
        compare("create", files, apply(scratch.path(), &graph), serial, parallel);
        measure_check(scratch.path(), &ours, &graph, 5);
        restore(scratch.path(), &ours, files);
        measure_purge(scratch.path(), files);
    }
}
