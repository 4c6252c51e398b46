//! What the graph algorithms cost at the sizes of spec 06 §14.2: `cargo bench -p resource-graph`.

use std::hint::black_box;
use std::time::Instant;

use resource_graph::{AutoEdgeHost, Resource, ResourceGraph, ResourceId, VertexId, add_autoedges, autogroup};
use test_support::{min_of, min_time, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn file(path: &str) -> Resource {
    Resource::new(ResourceId::new("file", path)).with("state", "exists").with("content", "text\n").with("mode", "0644")
}

/// `n` files on three directory levels, ten to a directory, and a resource for each directory.
fn tree(n: usize) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    for i in 0..n {
        let (a, b) = (i / 100, i / 10 % 10);
        if i % 100 == 0 {
            graph.add(file(&format!("/srv/tree/{a}/")));
        }
        if i % 10 == 0 {
            graph.add(file(&format!("/srv/tree/{a}/{b}/")));
        }
        graph.add(file(&format!("/srv/tree/{a}/{b}/{}", i % 10)));
    }
    graph
}

fn noops(n: usize, chained: bool) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    for i in 0..n {
        let vertex = graph.add(Resource::new(ResourceId::new("noop", format!("{i:05}"))));
        if chained && i > 0 {
            graph.order(VertexId(vertex.0 - 1), vertex);
        }
    }
    graph
}

const RUNS: usize = 15;

/// Prints the time of an algorithm on a graph, also as a ratio to copying the graph. `prepare` makes the input of a run,
/// which is not part of its time.
fn measure<I, R>(name: &str, graph: &ResourceGraph, prepare: impl Fn() -> I, mut algorithm: impl FnMut(I) -> R) {
    let copy = min_time(RUNS, || graph.clone());
    let time = min_of(RUNS, || {
        let input = black_box(prepare());
        let start = Instant::now();
        let result = black_box(algorithm(input));
        let time = start.elapsed();
        drop(result);
        time
    });
    println!("{name:<32} {:>9.3} ms {:>8.2} x copying", time.as_secs_f64() * 1000.0, ratio(time, copy));
}

fn main() {
    let host = AutoEdgeHost::default();
    for n in [1_000, 10_000, 100_000] {
        let tree = tree(n);
        measure(
            &format!("autoedge tree/{n}"),
            &tree,
            || tree.clone(),
            |mut graph| {
                add_autoedges(&mut graph, &host).expect("the needs of files are always known");
                graph
            },
        );
    }
    for n in [1_000, 10_000] {
        let group = noops(n, false);
        measure(&format!("autogroup group/{n}"), &group, || (), |()| autogroup(&group));
        let chain = noops(n, true);
        measure(&format!("autogroup chain/{n}"), &chain, || (), |()| autogroup(&chain));
        let mut disabled = noops(n, false);
        for vertex in disabled.vertices() {
            disabled.resource_mut(vertex).meta.autogroup = false;
        }
        measure(&format!("autogroup disabled/{n}"), &disabled, || (), |()| autogroup(&disabled));
    }
    for n in [10_000, 100_000] {
        let graph = tree(n);
        measure(&format!("topological order/{n}"), &graph, || (), |()| graph.topological_order());
    }
}
