//! Random programs give the same whether computed at compile time or not, and in whatever order their statements stand.

use std::sync::atomic::{AtomicU64, Ordering};

use mcl_artifact::program::Program;
use resource_graph::ResourceGraph;

use crate::generate::{Random, statements};
use crate::support::{FOLDED, PLAIN, build, build_checked, checked, run};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The graph, or the stage of the failure: which of several failures is found first is not specified.
fn outcome(program: Program) -> Result<ResourceGraph, String> {
    run(program).map_err(|errors| format!("{:?}", errors[0].stage))
}

fn sorted_lines(graph: &ResourceGraph) -> Vec<String> {
    let mut lines: Vec<String> = resource_graph::text(graph).lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// One program, made from one number; tells whether it gave a graph.
fn one_program(seed: u64) -> bool {
    let mut random = Random(seed);
    let mut parts = statements(&mut random);
    let source = parts.join("\n") + "\n";
    let typed = checked(&source);
    let folded = outcome(build_checked(&typed, FOLDED)).map(|graph| resource_graph::text(&graph));
    let plain = outcome(build_checked(&typed, PLAIN));
    assert_eq!(folded, plain.as_ref().map(resource_graph::text).map_err(Clone::clone), "seed {seed}:\n{source}");

    for i in (1..parts.len()).rev() {
        parts.swap(i, random.below(i + 1));
    }
    let shuffled = parts.join("\n") + "\n";
    let reordered = outcome(build(&shuffled, FOLDED)).as_ref().map(sorted_lines).map_err(Clone::clone);
    let plain = plain.as_ref().map(sorted_lines).map_err(Clone::clone);
    assert_eq!(reordered, plain, "seed {seed}:\n{source}\n# or\n{shuffled}");
    plain.is_ok()
}

/// `MCL_FGRAPH_RUNS` and `MCL_FGRAPH_SEED` set the number of programs and where to start.
#[test]
fn random_programs_agree() {
    let (first, runs) = (setting("MCL_FGRAPH_SEED", 1), setting("MCL_FGRAPH_RUNS", 500));
    println!("seed {first}, {runs} runs");
    let (next, graphs) = (AtomicU64::new(first), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + runs {
                        break;
                    }
                    graphs.fetch_add(u64::from(one_program(seed)), Ordering::Relaxed);
                }
            });
        }
    });
    let graphs = graphs.into_inner();
    println!("{graphs} gave a graph");
    assert!(graphs * 4 > runs, "only {graphs} of {runs} programs gave a graph");
}
