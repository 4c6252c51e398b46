//! Random programs give the same whether computed at compile time or not, and in whatever order their statements stand.

use resource_graph::ResourceGraph;

use crate::generate::{Random, statements};
use crate::support::{FOLDED, PLAIN, build, run};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The graph, or the stage of the failure: which of several failures is found first is not specified.
fn outcome(source: &str, fold: bool) -> Result<ResourceGraph, String> {
    run(build(source, if fold { FOLDED } else { PLAIN })).map_err(|errors| format!("{:?}", errors[0].stage))
}

fn sorted_lines(graph: &ResourceGraph) -> Vec<String> {
    let mut lines: Vec<String> = resource_graph::text(graph).lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// `MCL_FGRAPH_RUNS` and `MCL_FGRAPH_SEED` set the number of programs and where to start.
#[test]
fn random_programs_agree() {
    let (seed, runs) = (setting("MCL_FGRAPH_SEED", 1), setting("MCL_FGRAPH_RUNS", 500));
    println!("seed {seed}, {runs} runs");
    let mut graphs = 0;
    for seed in seed..seed + runs {
        let mut random = Random(seed);
        let mut parts = statements(&mut random);
        let source = parts.join("\n") + "\n";
        let folded = outcome(&source, true).map(|graph| resource_graph::text(&graph));
        let plain = outcome(&source, false);
        graphs += u64::from(plain.is_ok());
        assert_eq!(folded, plain.as_ref().map(resource_graph::text).map_err(Clone::clone), "seed {seed}:\n{source}");

        for i in (1..parts.len()).rev() {
            parts.swap(i, random.below(i + 1));
        }
        let shuffled = parts.join("\n") + "\n";
        let reordered = outcome(&shuffled, true).as_ref().map(sorted_lines).map_err(Clone::clone);
        assert_eq!(
            reordered,
            plain.as_ref().map(sorted_lines).map_err(Clone::clone),
            "seed {seed}:\n{source}\n# or\n{shuffled}"
        );
    }
    println!("{graphs} gave a graph");
    assert!(graphs * 4 > runs, "only {graphs} of {runs} programs gave a graph");
}
