//! Interleavings of the events of two sources.

use function_engine::ChangedResource;
use mcl_diagnostics::{Code, Stage};
use proptest::prelude::*;
use resource_graph::{Resource, ResourceId};
use test_support::{RandomChoice, Rng, for_each_seed_in_parallel, seeds};

use super::*;

/// A graph whose resource names its source and version.
fn graph(source: Source, version: u32) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    graph.add(Resource::new(ResourceId::new("noop", format!("{source:?}-{version}"))));
    graph
}

fn names(outcome: &MergeOutcome) -> Vec<String> {
    match outcome {
        MergeOutcome::Graph(graph, _) => graph.resources().map(|(_, r)| r.id.name.to_string()).collect(),
        MergeOutcome::Waiting => vec!["waiting".to_owned()],
        MergeOutcome::Failed(_) => vec!["failed".to_owned()],
    }
}

/// Every interleaving of two sequences of lengths `a` and `b`: which source delivers at each step.
fn interleavings(a: usize, b: usize) -> Vec<Vec<Source>> {
    if a == 0 || b == 0 {
        return vec![[vec![Source::Mcl; a], vec![Source::Puppet; b]].concat()];
    }
    let mut all = Vec::new();
    for (source, rest) in [(Source::Mcl, interleavings(a - 1, b)), (Source::Puppet, interleavings(a, b - 1))] {
        all.extend(rest.into_iter().map(|tail| [vec![source], tail].concat()));
    }
    all
}

/// The events cut into batches that are handled at once; bit `i` of `cuts` ends a batch after event `i`.
fn batches(events: &[Source], cuts: u32) -> Vec<Vec<Source>> {
    let mut out = vec![Vec::new()];
    for (i, source) in events.iter().enumerate() {
        out.last_mut().expect("not empty").push(*source);
        if i + 1 < events.len() && cuts & (1 << i) != 0 {
            out.push(Vec::new());
        }
    }
    out
}

#[test]
fn newest_graphs_are_merged_once_per_batch_in_every_interleaving() {
    let mut runs = 0;
    for order in interleavings(3, 3) {
        for cuts in 0..1u32 << (order.len() - 1) {
            runs += 1;
            let mut merger = GraphMerger::new(&[Source::Mcl, Source::Puppet], MergeOptions::default());
            let (mut mcl, mut puppet) = (0, 0);
            for batch in batches(&order, cuts) {
                let events: Vec<(Source, SourceEvent)> = batch
                    .into_iter()
                    .map(|source| {
                        let version = match source {
                            Source::Mcl => &mut mcl,
                            Source::Puppet => &mut puppet,
                        };
                        *version += 1;
                        (source, SourceEvent::Graph(graph(source, *version)))
                    })
                    .collect();
                let out = merger.handle(events);
                assert_eq!(out.len(), 1, "one outcome per batch");
                let expected = if mcl == 0 || puppet == 0 {
                    vec!["waiting".to_owned()]
                } else {
                    vec![format!("Mcl-{mcl}"), format!("Puppet-{puppet}")]
                };
                assert_eq!(names(&out[0]), expected);
            }
        }
    }
    assert_eq!(runs, 20 * 32);
}

/// Lets `handle` merge many events in random batches, with failures among them. Returns the first outcome that is wrong.
fn first_wrong_outcome(
    random: &mut Rng,
    mut handle: impl FnMut(Vec<(Source, SourceEvent)>) -> Vec<MergeOutcome>,
) -> Option<String> {
    let mut versions = [0, 0];
    for _ in 0..60 {
        let (mut has_graph, mut failures) = (false, 0);
        let events: Vec<(Source, SourceEvent)> = (0..random.usize(..5))
            .map(|_| {
                let (index, source) = if random.bool() { (0, Source::Mcl) } else { (1, Source::Puppet) };
                if random.one_in(5) {
                    failures += 1;
                    return (source, SourceEvent::Failed(Vec::new()));
                }
                versions[index] += 1;
                has_graph = true;
                (source, SourceEvent::Graph(graph(source, versions[index])))
            })
            .collect();
        let mut expected = vec![vec!["failed".to_owned()]; failures];
        if has_graph {
            let [mcl, puppet] = versions;
            expected.push(if versions.contains(&0) {
                vec!["waiting".to_owned()]
            } else {
                vec![format!("Mcl-{mcl}"), format!("Puppet-{puppet}")]
            });
        }
        let found: Vec<_> = handle(events).iter().map(names).collect();
        if found != expected {
            return Some(format!("{found:?} instead of {expected:?}"));
        }
    }
    None
}

/// One outcome for each failure, and one for all graphs.
#[test]
fn newest_graphs_are_merged_once_in_long_random_streams() {
    for_each_seed_in_parallel(500, |random| {
        let mut merger = GraphMerger::new(&[Source::Mcl, Source::Puppet], MergeOptions::default());
        assert_eq!(first_wrong_outcome(random, |events| merger.handle(events)), None);
    });
}

#[test]
fn long_random_streams_find_planted_faults() {
    type Fault = fn(&mut GraphMerger, Vec<(Source, SourceEvent)>) -> Vec<MergeOutcome>;
    let faults: [(&str, Fault); 5] = [
        ("the oldest graph of a batch wins", |merger, mut events| {
            events.reverse();
            merger.handle(events)
        }),
        ("a merge for each graph", |merger, events| {
            events.into_iter().flat_map(|event| merger.handle([event])).collect()
        }),
        ("a failure hides the graphs of its batch", |merger, mut events| {
            if events.iter().any(|(_, event)| matches!(event, SourceEvent::Failed(_))) {
                events.retain(|(_, event)| matches!(event, SourceEvent::Failed(_)));
            }
            merger.handle(events)
        }),
        ("a graph hides the failures of its batch", |merger, mut events| {
            if events.iter().any(|(_, event)| matches!(event, SourceEvent::Graph(_))) {
                events.retain(|(_, event)| matches!(event, SourceEvent::Graph(_)));
            }
            merger.handle(events)
        }),
        ("a failure forgets what its source delivered", |merger, events| {
            for (source, event) in &events {
                if let (Source::Puppet, SourceEvent::Failed(_)) = (source, event) {
                    merger.puppet = Some(None);
                }
            }
            merger.handle(events)
        }),
    ];
    for (name, fault) in faults {
        let finds = |seed: &u64| {
            let mut merger = GraphMerger::new(&[Source::Mcl, Source::Puppet], MergeOptions::default());
            first_wrong_outcome(&mut Rng::with_seed(*seed), |events| fault(&mut merger, events)).is_some()
        };
        assert!((0..20).filter(finds).count() > 10, "{name}");
    }
}

#[test]
fn failing_source_is_reported_at_once_and_keeps_its_last_graph() {
    let failed = || SourceEvent::Failed(vec![Diagnostic::error(Code::P0101, Stage::Puppet, "broken")]);
    let mut merger = GraphMerger::new(&[Source::Mcl, Source::Puppet], MergeOptions::default());
    assert!(matches!(merger.handle([(Source::Puppet, failed())])[..], [MergeOutcome::Failed(_)]));
    merger.handle([(Source::Puppet, SourceEvent::Graph(graph(Source::Puppet, 1)))]);
    merger.handle([(Source::Mcl, SourceEvent::Graph(graph(Source::Mcl, 1)))]);
    let out = merger.handle([(Source::Puppet, failed()), (Source::Mcl, SourceEvent::Graph(graph(Source::Mcl, 2)))]);
    assert_eq!(out.iter().map(names).collect::<Vec<_>>(), [vec!["failed"], vec!["Mcl-2", "Puppet-1"]]);
}

#[test]
fn graph_of_a_single_source_passes_through() {
    let mut merger = GraphMerger::new(&[Source::Puppet], MergeOptions::default());
    let out = merger.handle([(Source::Puppet, SourceEvent::Graph(graph(Source::Puppet, 1)))]);
    assert_eq!(names(&out[0]), ["Puppet-1"]);
}

/// What a source delivers.
#[derive(Clone, Copy, Debug)]
enum Delivery {
    /// A graph; whether it has the merge point, and the content of a file that both sides declare.
    Graph {
        has_point: bool,
        content: u8,
    },
    /// The graph that it delivered last, again.
    Same,
    Failure,
}

/// The graph of a source, as the model knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    number: usize,
    has_point: bool,
    content: u8,
}

fn versioned(source: Source, version: Version) -> ResourceGraph {
    let mut graph = graph(source, version.number as u32);
    let noop = |name: &str| Resource::new(ResourceId::new("noop", name));
    if version.has_point {
        match source {
            Source::Mcl => {
                graph.add(noop("puppet_x"));
            }
            Source::Puppet => {
                let (start, end) =
                    (graph.add(noop("admissible_Class[Mgmt_x]")), graph.add(noop("completed_Class[Mgmt_x]")));
                graph.order(start, end);
            }
        }
    }
    graph.add(Resource::new(ResourceId::new("file", "/both")).with("content", version.content.to_string()));
    graph
}

fn deliveries() -> impl Strategy<Value = Vec<(Source, Delivery, bool)>> {
    let source = prop_oneof![Just(Source::Mcl), Just(Source::Puppet)];
    let delivery = prop_oneof![
        4 => (prop::bool::weighted(0.8), prop::bool::weighted(0.2))
            .prop_map(|(has_point, content)| Delivery::Graph { has_point, content: content.into() }),
        1 => Just(Delivery::Same),
        2 => Just(Delivery::Failure),
    ];
    prop::collection::vec((source, delivery, any::<bool>()), 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(u32::try_from(seeds(4000).end).unwrap_or(u32::MAX)))]

    /// Streams that are late, repeat themselves, fail, recover and contradict each other, in batches of any size.
    #[test]
    fn outcome_is_that_of_the_newest_graphs(
        deliveries in deliveries(),
        sources in prop_oneof![
            Just(&[Source::Mcl, Source::Puppet][..]),
            Just(&[Source::Mcl][..]),
            Just(&[Source::Puppet][..]),
        ],
    ) {
        let (has_program, has_catalog) = (sources.contains(&Source::Mcl), sources.contains(&Source::Puppet));
        let mut merger = GraphMerger::new(sources, MergeOptions::default());
        let mut newest: [Option<Version>; 2] = [None, None];
        let mut running: Option<Vec<String>> = None;
        let mut batch = Vec::new();
        let (mut expected, mut is_new) = (Vec::new(), false);
        let last = deliveries.len().saturating_sub(1);
        for (number, (source, delivery, ends_batch)) in deliveries.into_iter().enumerate() {
            let (index, takes_part) = match source {
                Source::Mcl => (0, has_program),
                Source::Puppet => (1, has_catalog),
            };
            let version = match delivery {
                Delivery::Graph { has_point, content } => Some(Version { number, has_point, content }),
                Delivery::Same => newest[index],
                Delivery::Failure => None,
            };
            batch.push((source, match version {
                Some(version) => SourceEvent::Graph(versioned(source, version)),
                None => SourceEvent::Failed(vec![Diagnostic::error(Code::P0101, Stage::Puppet, "broken")]),
            }));
            match version {
                Some(version) if takes_part => {
                    newest[index] = Some(version);
                    is_new = true;
                }
                Some(_) => {}
                None => expected.push("failed".to_owned()),
            }
            if !ends_batch && number != last {
                continue;
            }
            if std::mem::take(&mut is_new) {
                expected.push(match newest {
                    [Some(mcl), Some(puppet)] if mcl.has_point != puppet.has_point || mcl.content != puppet.content => {
                        "failed".to_owned()
                    }
                    [Some(mcl), Some(puppet)] => format!("Mcl-{} Puppet-{}", mcl.number, puppet.number),
                    [Some(only), None] if !has_catalog => format!("Mcl-{}", only.number),
                    [None, Some(only)] if !has_program => format!("Puppet-{}", only.number),
                    [_, _] => "waiting".to_owned(),
                });
            }
            let outcomes = merger.handle(std::mem::take(&mut batch));
            let shown = |outcome: &MergeOutcome| {
                let mut names = names(outcome);
                names.retain(|name| !name.contains("Class[") && !["x", "puppet_x", "/both"].contains(&&**name));
                names.join(" ")
            };
            prop_assert_eq!(outcomes.iter().map(shown).collect::<Vec<_>>(), std::mem::take(&mut expected));
            for outcome in &outcomes {
                if let MergeOutcome::Graph(graph, _) = outcome {
                    prop_assert!(graph.topological_order().is_ok());
                    running = Some(names(outcome));
                }
            }
        }
        // What runs at the end is the newest pair that fits, or the one before.
        let fits = match newest {
            [Some(mcl), Some(puppet)] => mcl.has_point == puppet.has_point && mcl.content == puppet.content,
            [Some(_), None] | [None, Some(_)] => !(has_program && has_catalog),
            [None, None] => false,
        };
        if fits {
            let running = running.expect("a graph that fits was delivered");
            for (source, version) in ["Mcl", "Puppet"].into_iter().zip(newest) {
                if let Some(version) = version {
                    let name = format!("{source}-{}", version.number);
                    prop_assert!(running.contains(&name), "{name} is not in {running:?}");
                }
            }
        }
    }
}

fn noop(name: &str, comment: &str) -> Resource {
    Resource::new(ResourceId::new("noop", name)).with("comment", comment)
}

fn values(changed: Vec<ChangedResource>) -> GraphChanges {
    GraphChanges { changed, ..GraphChanges::default() }
}

fn changed(old: Resource, new: Resource) -> ChangedResource {
    ChangedResource { old: old.into(), new: new.into() }
}

/// A merger with these resources of the program, a merge point among them, and a catalog with the resource `both`.
fn merged(resources: &[&str]) -> GraphMerger {
    let (mut mcl, mut puppet) = (ResourceGraph::new(), ResourceGraph::new());
    for name in resources {
        mcl.add(noop(name, "1"));
    }
    for name in ["admissible_Class[Mgmt_x]", "completed_Class[Mgmt_x]", "both"] {
        puppet.add(noop(name, "1"));
    }
    let mut merger = GraphMerger::new(&[Source::Mcl, Source::Puppet], MergeOptions::default());
    let events = [(Source::Mcl, SourceEvent::Graph(mcl)), (Source::Puppet, SourceEvent::Graph(puppet))];
    let outcomes = merger.handle(events);
    assert!(matches!(outcomes[..], [MergeOutcome::Graph(..)]), "{outcomes:?}");
    merger
}

#[test]
fn patched_value_is_in_the_graphs_that_follow() {
    let mut merger = merged(&["a", "puppet_x"]);
    let changes = values(vec![changed(noop("a", "1"), noop("a", "2"))]);
    assert!(merger.translate(&changes).is_some());
    merger.follow(&changes);
    let mut puppet = ResourceGraph::new();
    for name in ["admissible_Class[Mgmt_x]", "completed_Class[Mgmt_x]"] {
        puppet.add(noop(name, "1"));
    }
    let outcomes = merger.handle([(Source::Puppet, SourceEvent::Graph(puppet))]);
    let [MergeOutcome::Graph(graph, _)] = &outcomes[..] else { panic!("a graph: {outcomes:?}") };
    let vertex = graph.find("noop", "a").expect("it is in the graph");
    assert_eq!(graph.resource(vertex).params["comment"], mcl_value::Value::str("2"));
}

#[test]
fn merge_point_or_resource_of_both_sides_is_merged_anew() {
    let merger = merged(&["a", "both", "puppet_x"]);
    assert!(merger.translate(&values(vec![changed(noop("both", "1"), noop("both", "2"))])).is_none());
    let merger = merged(&["a", "puppet_x"]);
    assert!(merger.translate(&values(vec![changed(noop("puppet_x", "1"), noop("puppet_x", "2"))])).is_none());
}

#[test]
fn nothing_is_patched_before_both_sides_have_a_graph() {
    let mut merger = GraphMerger::new(&[Source::Mcl, Source::Puppet], MergeOptions::default());
    merger.handle([(Source::Mcl, SourceEvent::Graph(graph(Source::Mcl, 1)))]);
    assert!(merger.translate(&values(vec![])).is_none());
}
