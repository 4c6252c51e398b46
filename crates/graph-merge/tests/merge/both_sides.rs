//! Random pairs of a catalog and a program: in the merged graph hold exactly the orders and refreshes that follow from the
//! meaning of both sides, which the reference below states in terms of classes and resources.

use std::collections::{BTreeMap, BTreeSet};

use graph_merge::{MergeOptions, merge};
use pp_resource_types::KnownTypes;
use pp_translate::{TranslateOptions, build_relationships, read_catalog, translate};
use proptest::prelude::*;
use resource_graph::{AutoEdgeHost, Edge, Params, Resource, ResourceGraph, ResourceId, VertexId, add_autoedges};
use serde_json::{Value, json};
use test_support::seeds;

/// Number of random pairs per property; `RUNS_FACTOR` multiplies it.
const CASES: u64 = 4000;

fn config() -> ProptestConfig {
    ProptestConfig::with_cases(u32::try_from(seeds(CASES).end).unwrap_or(u32::MAX))
}

/// A type of Puppet resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// Changes, and runs again on a refresh.
    Exec,
    /// Changes, and takes no refresh.
    File,
    /// Passes refreshes on.
    Anchor,
}

/// What a relationship parameter does: the direction and whether it refreshes.
const PARAMETERS: [(&str, bool, bool); 4] =
    [("require", true, false), ("subscribe", true, true), ("before", false, false), ("notify", false, true)];

/// A catalog and a program.
#[derive(Clone, Debug)]
struct Pair {
    /// For each class the number of an earlier class that contains it.
    classes: Vec<Option<usize>>,
    /// For each merge point the class that contains it.
    points: Vec<Option<usize>>,
    /// The Puppet resources and the class that contains each.
    resources: Vec<(Type, Option<usize>)>,
    /// Parameters of one entity (a resource, class or merge point) that refer to another.
    relationships: Vec<(usize, usize, usize)>,
    /// The number of commands of the program.
    commands: usize,
    /// Edges of the program between its commands and merge points.
    edges: Vec<(usize, usize, bool)>,
}

fn pairs() -> impl Strategy<Value = Pair> {
    let parent = || proptest::option::of(0..4_usize);
    let kind = prop_oneof![Just(Type::Exec), Just(Type::File), Just(Type::Anchor)];
    (
        prop::collection::vec(parent(), 0..5),
        prop::collection::vec(parent(), 1..4),
        prop::collection::vec((kind, parent()), 0..6),
        prop::collection::vec((0..64_usize, 0..64_usize, 0..4_usize), 0..10),
        0..4_usize,
        prop::collection::vec((0..64_usize, 0..64_usize, any::<bool>()), 0..8),
    )
        .prop_map(|(classes, points, resources, relationships, commands, edges)| {
            let inside = |class: Option<usize>, limit: usize| class.filter(|class| *class < limit);
            let count = classes.len();
            let entities = resources.len() + count + points.len();
            let ends = commands + points.len();
            Pair {
                classes: classes.into_iter().enumerate().map(|(i, parent)| inside(parent, i)).collect(),
                points: points.into_iter().map(|class| inside(class, count)).collect(),
                resources: resources.into_iter().map(|(kind, class)| (kind, inside(class, count))).collect(),
                relationships: relationships
                    .into_iter()
                    .map(|(a, b, parameter)| (a % entities, b % entities, parameter))
                    .filter(|(a, b, _)| a != b)
                    .collect(),
                commands,
                // Forward only: a program with a cycle has no graph.
                edges: edges
                    .into_iter()
                    .map(|(a, b, notify)| (a % ends, b % ends, notify))
                    .filter(|(a, b, _)| a < b)
                    .collect(),
            }
        })
}

/// The catalog of a pair.
fn catalog(pair: &Pair) -> Value {
    let references = references(pair);
    let mut parameters: Vec<BTreeMap<&str, Vec<&str>>> = vec![BTreeMap::new(); references.len()];
    for &(a, b, parameter) in &pair.relationships {
        parameters[a].entry(PARAMETERS[parameter].0).or_default().push(&references[b]);
    }
    let mut resources = vec![json!({"type": "Stage", "title": "main", "kind": "compilable_type"})];
    let mut edges = Vec::new();
    for (entity, reference) in references.iter().enumerate() {
        let (kind, title) = reference.trim_end_matches(']').split_once('[').expect("a reference");
        let mut parameters = json!(parameters[entity]);
        if kind == "Exec" {
            parameters["command"] = json!("/bin/true");
            parameters["refreshonly"] = json!(true);
        }
        let role = if kind == "Class" { "unknown" } else { "compilable_type" };
        resources.push(json!({"type": kind, "title": title, "kind": role, "parameters": parameters}));
        let container = container(pair, entity).map(|class| references[pair.resources.len() + class].as_str());
        edges.push(json!({"source": container.unwrap_or("Stage[main]"), "target": reference}));
    }
    json!({"name": "test", "catalog_format": 2, "resources": resources, "edges": edges})
}

/// The entities: resources, classes, merge points.
fn references(pair: &Pair) -> Vec<String> {
    let resource = |(i, (kind, _)): (usize, &(Type, _))| match kind {
        Type::Exec => format!("Exec[e{i}]"),
        Type::File => format!("File[/f{i}]"),
        Type::Anchor => format!("Anchor[a{i}]"),
    };
    let classes = (0..pair.classes.len()).map(|i| format!("Class[C{i}]"));
    let points = (0..pair.points.len()).map(|i| format!("Class[Mgmt_p{i}]"));
    pair.resources.iter().enumerate().map(resource).chain(classes).chain(points).collect()
}

/// The number of the class that contains an entity.
fn container(pair: &Pair, entity: usize) -> Option<usize> {
    let resources = pair.resources.iter().map(|(_, class)| *class);
    resources.chain(pair.classes.iter().copied()).chain(pair.points.iter().copied()).nth(entity).flatten()
}

/// The graph of the program.
fn program(pair: &Pair) -> ResourceGraph {
    let mut graph = ResourceGraph::new();
    for i in 0..pair.commands {
        graph.add(Resource::new(ResourceId::new("exec", format!("m{i}"))).with("refreshonly", true));
    }
    for i in 0..pair.points.len() {
        graph.add(Resource::new(ResourceId::new("noop", format!("puppet_p{i}"))));
    }
    for &(a, b, notify) in &pair.edges {
        graph.add_edge(Edge { from: VertexId(a as u32), to: VertexId(b as u32), notify, autoedge: false });
    }
    graph
}

/// What a pair means, as a graph of the starts and ends of its entities.
#[derive(Default)]
struct Meaning {
    /// The edges, and whether each refreshes.
    edges: Vec<(usize, usize, bool)>,
    /// The vertices of resources, by their ids.
    resources: BTreeMap<String, usize>,
    /// Whether a vertex takes refreshes.
    refreshable: BTreeSet<usize>,
    vertices: usize,
}

impl Meaning {
    fn of(pair: &Pair) -> Meaning {
        let mut meaning = Meaning::default();
        let mut vertex = || {
            meaning.vertices += 1;
            meaning.vertices - 1
        };
        let commands: Vec<usize> = (0..pair.commands).map(|_| vertex()).collect();
        let resources: Vec<usize> = pair.resources.iter().map(|_| vertex()).collect();
        let classes: Vec<(usize, usize)> = pair.classes.iter().map(|_| (vertex(), vertex())).collect();
        let points: Vec<usize> = pair.points.iter().map(|_| vertex()).collect();
        let same = |vertices: &[usize]| vertices.iter().map(|v| (*v, *v)).collect::<Vec<_>>();
        // The start and end of each entity; a merge point is one vertex on both sides.
        let spans: Vec<(usize, usize)> = [same(&resources), classes.clone(), same(&points)].concat();
        let mut is_empty = vec![true; classes.len()];
        for (entity, (start, end)) in spans.iter().enumerate() {
            if let Some(class) = container(pair, entity) {
                is_empty[class] = false;
                meaning.edges.push((classes[class].0, *start, true));
                meaning.edges.push((*end, classes[class].1, true));
            }
        }
        // A refresh does not pass an empty class.
        for ((start, end), _) in classes.iter().zip(is_empty).filter(|(_, is_empty)| *is_empty) {
            meaning.edges.push((*start, *end, false));
        }
        for &(a, b, parameter) in &pair.relationships {
            let (_, reversed, refreshes) = PARAMETERS[parameter];
            let (from, to) = if reversed { (b, a) } else { (a, b) };
            meaning.edges.push((spans[from].1, spans[to].0, refreshes));
        }
        let ends = [commands.clone(), points].concat();
        meaning.edges.extend(pair.edges.iter().map(|&(a, b, notify)| (ends[a], ends[b], notify)));
        for (i, &command) in commands.iter().enumerate() {
            meaning.resources.insert(format!("exec[m{i}]"), command);
            meaning.refreshable.insert(command);
        }
        for (i, (&vertex, (kind, _))) in resources.iter().zip(&pair.resources).enumerate() {
            let id = match kind {
                Type::Exec => format!("exec[e{i}]"),
                Type::File => format!("file[/f{i}]"),
                Type::Anchor => continue,
            };
            meaning.resources.insert(id, vertex);
            if *kind == Type::Exec {
                meaning.refreshable.insert(vertex);
            }
        }
        meaning
    }

    /// The pairs of resources of which the first comes before the second.
    fn order(&self) -> BTreeSet<(String, String)> {
        self.related(|_| true, |_| true)
    }

    /// The pairs of resources of which a change of the first refreshes the second.
    fn refreshes(&self) -> BTreeSet<(String, String)> {
        let resources: BTreeSet<usize> = self.resources.values().copied().collect();
        let mut pairs = self.related(|refreshes| refreshes, |vertex| !resources.contains(&vertex));
        pairs.retain(|(_, to)| self.refreshable.contains(&self.resources[to]));
        pairs
    }

    /// The pairs of resources that are connected by the edges, through the vertices that pass on what arrives.
    fn related(&self, uses: impl Fn(bool) -> bool, passes: impl Fn(usize) -> bool) -> BTreeSet<(String, String)> {
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); self.vertices];
        for &(from, to, _) in self.edges.iter().filter(|edge| uses(edge.2)) {
            next[from].push(to);
        }
        let names: BTreeMap<usize, &String> = self.resources.iter().map(|(id, vertex)| (*vertex, id)).collect();
        let mut pairs = BTreeSet::new();
        for (id, &start) in &self.resources {
            for reached in reached(start, &next, &passes) {
                pairs.extend(names.get(&reached).map(|to| (id.clone(), (*to).clone())));
            }
        }
        pairs
    }

    fn has_cycle(&self) -> bool {
        let edges = self.edges.iter().map(|&(from, to, _)| (from as u32, to as u32));
        resource_graph::topological_order(self.vertices, edges).is_err()
    }
}

/// Returns the vertices that are reached from `start` through vertices that pass.
fn reached(start: usize, next: &[Vec<usize>], passes: &impl Fn(usize) -> bool) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut todo = vec![start];
    while let Some(vertex) = todo.pop() {
        for &to in &next[vertex] {
            if found.insert(to) && passes(to) {
                todo.push(to);
            }
        }
    }
    found
}

/// What a graph does: the same relations as those of [`Meaning`].
fn related(graph: &ResourceGraph, refreshes: bool, include: impl Fn(&Edge) -> bool) -> BTreeSet<(String, String)> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); graph.len()];
    for edge in graph.edges().filter(|edge| include(edge) && (edge.notify || !refreshes)) {
        next[edge.from.index()].push(edge.to.index());
    }
    let resource = |vertex: usize| graph.resource(VertexId(vertex as u32));
    let passes = |vertex: usize| !refreshes || resource(vertex).propagates_refresh;
    let takes = |vertex: usize| {
        let params = Params::of(resource(vertex)).expect("a known kind");
        !refreshes || params.kind().is_refreshable(&params)
    };
    let is_real = |resource: &Resource| &*resource.id.kind != "noop";
    let mut pairs = BTreeSet::new();
    for (start, from) in graph.resources().filter(|(_, resource)| is_real(resource)) {
        for to in reached(start.index(), &next, &passes).into_iter().filter(|to| is_real(resource(*to)) && takes(*to)) {
            pairs.insert((from.id.to_string(), resource(to).id.to_string()));
        }
    }
    pairs
}

/// Returns the merged graph; `None` if one side has a cycle or both together.
fn merged(pair: &Pair) -> Option<ResourceGraph> {
    let (catalog, _) = read_catalog(catalog(pair).to_string().as_bytes()).expect("a valid catalog");
    let relationships = build_relationships(catalog, &KnownTypes::all()).expect("all references resolve");
    let puppet = match translate(&relationships, &TranslateOptions::default()) {
        Ok(translation) => translation.graph,
        Err(errors) => {
            assert!(errors.iter().all(|error| error.code.name() == "P0106"), "{errors:?}");
            return None;
        }
    };
    match merge(&program(pair), &puppet, &MergeOptions::default()) {
        Ok(merged) => Some(merged.graph),
        Err(errors) => {
            assert!(errors.iter().all(|error| error.code.name() == "M0107"), "{errors:?}");
            None
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn orders_and_refreshes_are_those_of_both_sides_and_no_others(pair in pairs()) {
        let meaning = Meaning::of(&pair);
        let Some(graph) = merged(&pair) else {
            prop_assert!(meaning.has_cycle());
            return Ok(());
        };
        prop_assert!(!meaning.has_cycle());
        prop_assert_eq!(related(&graph, false, |_| true), meaning.order());
        prop_assert_eq!(related(&graph, true, |_| true), meaning.refreshes());
    }

    #[test]
    fn automatic_edges_only_add_order_and_give_way(pair in pairs(), automatic in prop::collection::vec((0..64_usize, 0..64_usize), 0..10)) {
        let Some(mut graph) = merged(&pair) else { return Ok(()) };
        let (order, refreshes) = (related(&graph, false, |_| true), related(&graph, true, |_| true));
        for (a, b) in automatic {
            let (from, to) = (VertexId((a % graph.len()) as u32), VertexId((b % graph.len()) as u32));
            if from != to {
                graph.add_edge(Edge { from, to, notify: false, autoedge: true });
            }
        }
        let ranks = add_autoedges(&mut graph, &AutoEdgeHost::default()).expect("nothing is needed from the host");
        graph.omit_contradictions(ranks).expect("the declared edges have no cycle");
        prop_assert!(graph.topological_order().is_ok());
        prop_assert_eq!(related(&graph, false, |edge| !edge.autoedge), order);
        prop_assert_eq!(related(&graph, true, |_| true), refreshes);
        for edge in graph.omitted() {
            prop_assert!(graph.reaches(edge.to, edge.from), "omitted without a contradiction");
        }
    }
}
