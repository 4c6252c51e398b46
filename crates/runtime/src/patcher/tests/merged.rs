//! A program that changes beside a Puppet catalog: what is patched is what merging both anew gives.

use graph_merge::MergeOptions;

use super::*;
use crate::sources::{GraphMerger, MergeOutcome, Source, SourceEvent};

/// The keys of the merge points among the declared resources.
const POINTS: [(usize, &str); 2] = [(100, "begin"), (101, "end")];
/// The numbers of the catalog's own resources.
const OF_CATALOG: std::ops::Range<usize> = 20..27;

fn noop(name: &str) -> Resource {
    Resource::new(ResourceId::new("noop", name))
}

/// A catalog with the classes of the merge points and some resources, of which the program may declare one, too.
fn catalog(program: &Declared, random: &mut Rng) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    let whit = |graph: &mut ResourceGraph, name: String| {
        let mut whit = noop(&name);
        whit.propagates_refresh = true;
        graph.add(whit)
    };
    let mut vertices = Vec::new();
    for (_, name) in POINTS {
        let start = whit(&mut graph, format!("admissible_Class[Mgmt_{name}]"));
        let end = whit(&mut graph, format!("completed_Class[Mgmt_{name}]"));
        graph.add_edge(Edge { from: start, to: end, notify: false, autoedge: false });
        vertices.push((start, end));
    }
    // Those that come before the first point, between both, and after them.
    for number in OF_CATALOG {
        let shared = program.resources.values().nth(number % RESOURCES).filter(|_| random.one_in(12));
        let resource = shared.map_or_else(|| random_resource(number, random), |resource| (**resource).clone());
        if graph.find(&resource.id.kind, &resource.id.name).is_some() || &*resource.id.kind == "noop" {
            continue;
        }
        let vertex = graph.add(resource);
        vertices.insert(random.usize(..=vertices.len()), (vertex, vertex));
    }
    for _ in 0..random.usize(..10) {
        let to = 1 + random.usize(..vertices.len() - 1);
        let from = random.usize(..to);
        // Automatic relationships of the catalog are omitted if they contradict what is declared.
        let autoedge = random.one_in(5);
        let (from, to) = if autoedge && random.one_in(3) { (to, from) } else { (from, to) };
        let edge = Edge { from: vertices[from].1, to: vertices[to].0, notify: !autoedge && random.bool(), autoedge };
        graph.add_edge(edge);
    }
    graph
}

fn change(program: &mut Declared, random: &mut Rng) {
    program.change(random);
    for (key, name) in POINTS {
        program.resources.entry(key).or_insert_with(|| Arc::new(noop(&format!("puppet_{name}"))));
    }
    if random.one_in(2) {
        let number = random.usize(..RESOURCES);
        let pair = *random.pick(&[(100, number), (number, 101), (100, 101), (number, 100), (101, number)]);
        if program.edges.remove(&pair).is_none() && program.resources.contains_key(&number) {
            program.edges.insert(pair, random.bool());
        }
    }
}

/// Merges new graphs as the last of the outcomes.
fn merge(merger: &mut GraphMerger, events: Vec<(Source, ResourceGraph)>) -> Option<Finalized> {
    let events = events.into_iter().map(|(source, graph)| (source, SourceEvent::Graph(graph)));
    match merger.handle(events).pop() {
        Some(MergeOutcome::Graph(graph, _)) => followed(graph).ok(),
        _ => None,
    }
}

/// Returns how often a change was a patch of the structure.
fn check_random_programs(random: &mut Rng) -> usize {
    let new_merger = || GraphMerger::new(&[Source::Mcl, Source::Puppet], MergeOptions::default());
    let mut declared = Declared::default();
    change(&mut declared, random);
    let mut puppet = catalog(&declared, random);
    let mut merger = new_merger();
    let first = vec![(Source::Mcl, declared.graph()), (Source::Puppet, puppet.clone())];
    let mut latest = merge(&mut merger, first).map(current);
    let mut patches = 0;
    for _ in 0..CHANGES {
        if random.one_in(6) {
            puppet = catalog(&declared, random);
            let anew = vec![(Source::Mcl, declared.graph()), (Source::Puppet, puppet.clone())];
            let fresh = merge(&mut new_merger(), anew).map(current);
            latest = merge(&mut merger, vec![(Source::Puppet, puppet.clone())]).map(current);
            let shown = |current: &Option<Current>| current.as_ref().map(|(structure, ..)| structure.clone());
            assert_eq!(shown(&latest), shown(&fresh), "the merger knows the program");
        }
        let mut new = declared.clone();
        change(&mut new, random);
        let changes = declared.changes(&new);
        let both = vec![(Source::Mcl, new.graph()), (Source::Puppet, puppet.clone())];
        let fresh = merge(&mut new_merger(), both);
        let translated = latest.as_ref().and_then(|_| merger.translate(&changes));
        let patch = latest.as_mut().zip(translated).and_then(|((_, _, patcher), changes)| patcher.patch(&changes));
        latest = match (patch, latest.take()) {
            (Some(patch), Some((before, notes, patcher))) => {
                patches += usize::from(patch.is_structural());
                merger.follow(&changes);
                let fresh = fresh.expect("a change that fits in contradicts nothing");
                let after = patched(before, patch);
                assert_eq!((&after, &notes), (&structure(&fresh.engine), &fresh.notes));
                Some((after, notes, patcher))
            }
            _ => merge(&mut merger, vec![(Source::Mcl, new.graph())]).map(current),
        };
        declared = new;
    }
    patches
}

#[test]
fn patched_program_beside_a_catalog_is_merged_anew() {
    let patches = mean_for_each_seed(1000, check_random_programs);
    assert!(patches > CHANGES as f64 / 10.0, "{patches} patches for {CHANGES} changes");
}
