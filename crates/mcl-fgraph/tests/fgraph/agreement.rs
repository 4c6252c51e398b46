//! Random programs have the same result with and without folding, and in any order of their statements.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcl_artifact::program::Program;
use resource_graph::ResourceGraph;
use test_support::{Rng, for_each_seed_in_parallel};

use crate::generate::statements;
use crate::support::{FOLDED, PLAIN, build, build_checked, checked, run};

/// Returns the graph, or the stage of the failure: which of several failures comes first is not specified.
fn outcome(program: Program) -> Result<ResourceGraph, String> {
    run(program).map_err(|errors| format!("{:?}", errors[0].stage))
}

fn sorted_lines(graph: &ResourceGraph) -> Vec<String> {
    let mut lines: Vec<String> = resource_graph::text(graph).lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// Checks one random program; returns whether it gives a graph.
fn one_program(rng: &mut Rng) -> bool {
    let mut parts = statements(rng);
    let source = parts.join("\n") + "\n";
    let typed = checked(&source);
    let folded = outcome(build_checked(&typed, FOLDED)).map(|graph| resource_graph::text(&graph));
    let plain = outcome(build_checked(&typed, PLAIN));
    assert_eq!(folded, plain.as_ref().map(resource_graph::text).map_err(Clone::clone), "{source}");

    rng.shuffle(&mut parts);
    let shuffled = parts.join("\n") + "\n";
    let reordered = outcome(build(&shuffled, FOLDED)).as_ref().map(sorted_lines).map_err(Clone::clone);
    let plain = plain.as_ref().map(sorted_lines).map_err(Clone::clone);
    assert_eq!(reordered, plain, "{source}\n# or\n{shuffled}");
    plain.is_ok()
}

#[test]
fn random_programs_agree() {
    let (runs, graphs) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each_seed_in_parallel(500, |rng| {
        let gives_graph = one_program(rng);
        runs.fetch_add(1, Ordering::Relaxed);
        graphs.fetch_add(usize::from(gives_graph), Ordering::Relaxed);
    });
    let (runs, graphs) = (runs.into_inner(), graphs.into_inner());
    assert!(runs < 100 || graphs * 4 > runs, "only {graphs} of {runs} programs gave a graph");
}
