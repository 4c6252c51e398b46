//! One resource of a program comes and goes beside a Puppet catalog, against the size of the catalog.
//!
//! `cargo bench -p runtime --bench beside_catalog`. The run fails if the cost beside 100,000 resources is more than twice that
//! beside 1,000.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use function_engine::GraphChanges;
use graph_merge::MergeOptions;
use resource_engine::{Config, Engine, Event};
use resource_graph::{AutoEdgeHost, DeclaredEdge, Edge, Resource, ResourceGraph, ResourceId, VertexId};
use runtime::finalize;
use runtime::sources::{GraphMerger, MergeOutcome, Source, SourceEvent};
use test_support::{min_of, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of resources of a class of the catalog; one of them is a package.
const CLASS: usize = 100;
/// The number of files of the program.
const PROGRAM: usize = 1_000;
const MAX_RATIO: f64 = 2.0;

fn noop(name: &str, propagates_refresh: bool) -> Resource {
    Resource { propagates_refresh, ..Resource::new(ResourceId::new("noop", name)) }
}

fn file(path: &str) -> Resource {
    Resource::new(ResourceId::new("file", path)).with("state", "exists").with("content", "1")
}

/// Classes one after the other, with the two merge points in the middle.
fn catalog(count: usize) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    let mut before: Option<VertexId> = None;
    let edge = |graph: &mut ResourceGraph, from, to| {
        graph.add_edge(Edge { from, to, notify: false, autoedge: false });
    };
    let classes = count / CLASS;
    for class in 0..classes {
        let mut names = vec![format!("Class{class}")];
        if class == classes / 2 {
            names.extend(["Mgmt_begin".to_owned(), "Mgmt_end".to_owned()]);
        }
        for name in names {
            let start = graph.add(noop(&format!("admissible_Class[{name}]"), true));
            let end = graph.add(noop(&format!("completed_Class[{name}]"), true));
            edge(&mut graph, start, end);
            if let Some(before) = before.replace(end) {
                edge(&mut graph, before, start);
            }
            let contents = if name.starts_with("Class") { 0..CLASS } else { 0..0 };
            for number in contents {
                let resource = match number {
                    0 => Resource::new(ResourceId::new("pkg", format!("p{class}"))).with("state", "installed"),
                    1 => file(&format!("/srv/{class}/")),
                    _ => file(&format!("/srv/{class}/{number}")),
                };
                let vertex = graph.add(resource);
                edge(&mut graph, start, vertex);
                edge(&mut graph, vertex, end);
            }
        }
    }
    graph
}

/// Files between the merge points.
fn program() -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    let [begin, end] = ["puppet_begin", "puppet_end"].map(|name| graph.add(noop(name, false)));
    graph.add(file("/mcl/"));
    for number in 0..PROGRAM {
        let vertex = graph.add(file(&format!("/mcl/{number}")));
        graph.order(begin, vertex);
        graph.order(vertex, end);
    }
    graph
}

/// From the changes of the program until the resource engine has taken their consequences; the longer of both ways.
fn one_comes_and_goes(count: usize) -> Duration {
    let host = AutoEdgeHost::default();
    let mut merger = GraphMerger::new(&[Source::Mcl, Source::Puppet], MergeOptions::default());
    let events = [(Source::Mcl, SourceEvent::Graph(program())), (Source::Puppet, SourceEvent::Graph(catalog(count)))];
    let Some(MergeOutcome::Graph(graph, _)) = merger.handle(events).pop() else { unreachable!("both sides fit") };
    let mut finalized = finalize(graph, &host).expect("no cycle");
    finalized.patcher.follow(&finalized.graph, &host);
    let mut engine = Engine::new(Config::default());
    engine.step(Event::Swap(Box::new(finalized.engine)), Duration::ZERO);
    let new = Arc::new(file("/mcl/new"));
    let point = |name: &str| ResourceId::new("noop", name);
    let ends = [(point("puppet_begin"), new.id.clone()), (new.id.clone(), point("puppet_end"))];
    let edges = ends.map(|(from, to)| DeclaredEdge { from, to, notify: false }).to_vec();
    let comes = GraphChanges { added: vec![Arc::clone(&new)], added_edges: edges.clone(), ..GraphChanges::default() };
    let goes = GraphChanges { removed: vec![new], removed_edges: edges, ..GraphChanges::default() };
    let mut now = Duration::ZERO;
    let mut change = |changes: &GraphChanges| {
        let started = Instant::now();
        let translated = merger.translate(changes).expect("no merge point changes");
        let patch = finalized.patcher.patch(&translated).expect("the change is known");
        merger.follow(changes);
        now += Duration::from_millis(1);
        std::hint::black_box(engine.step(Event::Patch(patch), now));
        started.elapsed()
    };
    min_of(200, || change(&comes).max(change(&goes)))
}

fn main() -> ExitCode {
    let counts = [1_000, 10_000, 100_000];
    let times = counts.map(one_comes_and_goes);
    for (count, took) in counts.iter().zip(times) {
        println!("one file of the program comes or goes beside {count:>7} resources of a catalog {took:>12.1?}");
    }
    let growth = ratio(times[2], times[0]);
    println!("beside 100,000 against 1,000: ratio {growth:.2} of {MAX_RATIO}");
    if growth > MAX_RATIO { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
