//! Merging two graphs, compared with copying both.
//!
//! `cargo bench -p graph-merge`

use graph_merge::{MergeOptions, merge};
use resource_graph::{Resource, ResourceGraph, ResourceId};
use test_support::{min_time, ratio};

/// The allocator of the tools.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A graph of `n` noops in a chain of fans, with a merge point every hundred vertices.
fn side(n: usize, mcl: bool) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    let mut last = None;
    for i in 0..n / 100 {
        let (start, end) = if mcl {
            let point = graph.add(Resource::new(ResourceId::new("noop", format!("puppet_h{i}"))));
            (point, point)
        } else {
            let start = graph.add(Resource::new(ResourceId::new("noop", format!("admissible_Class[Mgmt_h{i}]"))));
            let end = graph.add(Resource::new(ResourceId::new("noop", format!("completed_Class[Mgmt_h{i}]"))));
            graph.order(start, end);
            (start, end)
        };
        if let Some(last) = last {
            graph.order(last, start);
        }
        for k in 0..98 {
            let name = format!("{}{i}-{k}", if mcl { "m" } else { "p" });
            let vertex = graph.add(Resource::new(ResourceId::new("noop", name)));
            graph.order(end, vertex);
        }
        last = Some(end);
    }
    graph
}

fn main() {
    println!("{:>12} {:>12} {:>12} {:>7}", "vertices", "copy", "merge", "ratio");
    for n in [10_000, 100_000] {
        let (mcl, puppet) = (side(n, true), side(n, false));
        let copy = min_time(5, || (mcl.clone(), puppet.clone()));
        let merged = min_time(5, || merge(&mcl, &puppet, &MergeOptions::default()).expect("the graphs merge"));
        println!("{:>12} {copy:>12.2?} {merged:>12.2?} {:>7.2}", format!("2 x {n}"), ratio(merged, copy));
    }
}
