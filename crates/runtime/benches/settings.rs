//! Many settings of one file, against a plain loop that edits the same file in the same run.
//!
//! `cargo bench -p runtime --bench settings`; the directory comes from `TMPDIR`. Each setting is a resource, as in a catalog of
//! Puppet. The time has to grow with the number of settings: a file that were read and replaced for each of them would take a
//! hundred times as long for ten times as many.

#[path = "support/agent.rs"]
mod agent;

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use agent::apply;
use resource_graph::{Edge, Resource, ResourceGraph, ResourceId};
use test_support::{min_of, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The time for ten times as many settings may be at most this many times as long.
const MAX_GROWTH: f64 = 20.0;
/// The settings of a section.
const SECTION: usize = 50;

/// A file with every second setting, with another value.
fn text(settings: usize) -> String {
    let mut text = String::new();
    for i in (0..settings).step_by(2) {
        if i % SECTION == 0 {
            text += &format!("[section {}]\n", i / SECTION);
        }
        text += &format!("setting {i} = old\n");
    }
    text
}

/// The settings between the start and the end of a class.
fn graph(path: &Path, settings: usize) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    let [begin, end] = ["begin", "end"].map(|name| graph.add(Resource::new(ResourceId::new("noop", name))));
    for i in 0..settings {
        let setting =
            Resource::new(ResourceId::new("ini:setting", format!("Nova_config[section {}/{i}]", i / SECTION)))
                .with("path", path.to_str().expect("UTF-8"))
                .with("section", format!("section {}", i / SECTION))
                .with("setting", format!("setting {i}"))
                .with("value", format!("value {i}"));
        let setting = graph.add(setting);
        for (from, to) in [(begin, setting), (setting, end)] {
            graph.add_edge(Edge { from, to, notify: false, autoedge: false });
        }
    }
    graph
}

/// Reads the file, edits it by a table of its lines, and replaces it.
fn plain_loop(path: &Path, settings: usize) -> Duration {
    let started = Instant::now();
    let text = fs::read_to_string(path).expect("the file is readable");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let names = lines.iter().enumerate().filter_map(|(at, line)| Some((line.split_once(" = ")?.0.to_owned(), at)));
    let known: HashMap<String, usize> = names.collect();
    let mut added = String::new();
    for i in 0..settings {
        let line = format!("setting {i} = value {i}");
        match known.get(&format!("setting {i}")) {
            Some(at) => lines[*at] = line,
            None => added += &(line + "\n"),
        }
    }
    let temporary = path.with_extension("new");
    let mut file = fs::File::create(&temporary).expect("the directory is writable");
    file.write_all((lines.join("\n") + "\n" + &added).as_bytes()).expect("the disk is not full");
    file.sync_all().expect("the disk works");
    fs::rename(&temporary, path).expect("the directory is writable");
    started.elapsed()
}

fn main() {
    println!("{:>10} {:>12} {:>12} {:>7}", "settings", "plain loop", "agent", "ratio");
    let mut times = Vec::new();
    for settings in [1_000, 10_000] {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("nova.conf");
        let plain = min_of(3, || {
            fs::write(&path, text(settings)).expect("the directory is writable");
            plain_loop(&path, settings)
        });
        let graph = graph(&path, settings);
        let agent = min_of(3, || {
            fs::write(&path, text(settings)).expect("the directory is writable");
            let time = apply(scratch.path(), &graph);
            let edited = fs::read_to_string(&path).expect("the file is readable");
            assert!(
                edited.contains(&format!("\nsetting {0} = value {0}\n", settings - 1)),
                "the last setting is there"
            );
            time
        });
        println!("{settings:>10} {plain:>12.2?} {agent:>12.2?} {:>7.1}", ratio(agent, plain));
        times.push(agent);
    }
    let growth = ratio(times[1], times[0]);
    println!("ten times as many settings take {growth:.1} times as long");
    assert!(growth <= MAX_GROWTH, "the limit is {MAX_GROWTH} times");
}
