//! What the graph algorithms cost at the sizes of spec 06 §14.2: `cargo bench -p resource-graph`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use resource_graph::{AutoEdgeHost, Resource, ResourceGraph, ResourceId, VertexId, add_autoedges, autogroup, sync};

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

/// The best of several runs, which is what the machine can do when nothing else runs.
fn measure<T, R>(name: &str, mut prepare: impl FnMut() -> T, mut run: impl FnMut(T) -> R) {
    let mut best = Duration::MAX;
    for _ in 0..15 {
        let input = prepare();
        let start = Instant::now();
        let result = black_box(run(black_box(input)));
        best = best.min(start.elapsed());
        drop(result);
    }
    println!("{name:<32} {:>9.3} ms", best.as_secs_f64() * 1000.0);
}

fn main() {
    let host = AutoEdgeHost::default();
    for n in [1_000, 10_000, 100_000] {
        measure(
            &format!("autoedge tree/{n}"),
            || tree(n),
            |mut graph| {
                add_autoedges(&mut graph, &host).expect("files always know what they want");
                graph
            },
        );
    }
    for n in [1_000, 10_000] {
        let group = noops(n, false);
        measure(&format!("autogroup group/{n}"), || (), |()| autogroup(&group));
        let chain = noops(n, true);
        measure(&format!("autogroup chain/{n}"), || (), |()| autogroup(&chain));
        let mut disabled = noops(n, false);
        for vertex in disabled.vertices() {
            disabled.resource_mut(vertex).meta.autogroup = false;
        }
        measure(&format!("autogroup disabled/{n}"), || (), |()| autogroup(&disabled));
    }
    for n in [10_000, 100_000] {
        let (old, new) = (tree(n), tree(n));
        measure(&format!("sync unchanged/{n}"), || (), |()| sync(&old, &new));
        measure(&format!("topological order/{n}"), || (), |()| old.topological_order());
    }
}
