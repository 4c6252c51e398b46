//! Edits of a graph against the whole computation.

use mcl_value::Value;
use test_support::{RandomChoice, Rng, mean_for_each_seed};

use super::*;
use crate::{Edge, add_autoedges, autogroup};

const NAMES: usize = 17;
const EDITS: usize = 25;

/// A random resource of a name, which determines the kind.
fn resource(number: usize, random: &mut Rng) -> Resource {
    let new = |kind: &str, name: &str| Resource::new(ResourceId::new(kind, name)).with("state", "exists");
    let one_of = |random: &mut Rng, items: &[&'static str]| *random.pick(items);
    let state = one_of(random, &["exists", "exists", "absent"]);
    let mut resource = match number {
        0 => new("file", "/d/"),
        1 => new("file", "/d/e/"),
        2..6 => {
            let path = one_of(random, &["/d/x", "/d/e/y", "/d/e/f/z", "/d/e/", "/q"]);
            let file = new("file", &format!("f{number}")).with("path", path).with("state", state);
            match random.usize(..3) {
                0 => file.with("owner", "u").with("group", "g"),
                1 => file.with("fragments", Value::list(["/d/e/", "/q"])),
                _ => file,
            }
        }
        6 => new("user", "u").with("state", state).with("gid", 1).with("groups", Value::list(["g"])),
        7 => new("group", "g").with("state", state),
        8 => new("exec", "e8").with("cmd", "/d/x").with("user", one_of(random, &["u", "v"])),
        9 => new("exec", "e9").with("cmd", "/q"),
        10 | 11 | 14 => new("print", &format!("p{number}")),
        15 | 16 => new("kv", &format!("k{number}")),
        12 => new("svc", "s").with("state", "running"),
        _ => new("line", "l").with("file", one_of(random, &["/d/x", "/q"])),
    };
    resource.meta.autoedge = !random.one_in(10);
    resource
}

/// What the program declares.
#[derive(Clone, Default)]
struct Declared {
    resources: BTreeMap<usize, Arc<Resource>>,
    edges: BTreeMap<(usize, usize), bool>,
}

impl Declared {
    fn change(&mut self, random: &mut Rng) {
        for _ in 0..1 + random.usize(..2) {
            let number = random.usize(..NAMES);
            if self.resources.contains_key(&number) && random.bool() {
                self.resources.remove(&number);
            } else {
                self.resources.insert(number, Arc::new(resource(number, random)));
            }
        }
        if random.one_in(2) {
            let (from, to) = (random.usize(..NAMES), random.usize(..NAMES));
            if self.edges.remove(&(from, to)).is_none() && from != to {
                self.edges.insert((from, to), random.bool());
            }
        }
        let resources = &self.resources;
        self.edges.retain(|(from, to), _| resources.contains_key(from) && resources.contains_key(to));
    }

    fn edge(&self, pair: &(usize, usize), notify: bool) -> DeclaredEdge {
        let id = |number: &usize| self.resources[number].id.clone();
        DeclaredEdge { from: id(&pair.0), to: id(&pair.1), notify }
    }

    /// Returns what turns this into another one.
    fn edit(&self, new: &Declared) -> GraphEdit {
        let has = |declared: &Declared, pair: &(usize, usize), notify: bool| declared.edges.get(pair) == Some(&notify);
        let differing = |a: &Declared, b: &Declared| -> Vec<DeclaredEdge> {
            a.edges.iter().filter(|(pair, notify)| !has(b, pair, **notify)).map(|(pair, n)| a.edge(pair, *n)).collect()
        };
        let mut edit = GraphEdit {
            removed_edges: differing(self, new),
            added_edges: differing(new, self),
            ..GraphEdit::default()
        };
        for (number, resource) in &new.resources {
            match self.resources.get(number) {
                Some(old) if Arc::ptr_eq(old, resource) => {}
                Some(old) if old.id == resource.id => edit.replaced.push(Arc::clone(resource)),
                Some(_) | None => edit.added.push(Arc::clone(resource)),
            }
        }
        edit.removed = self
            .resources
            .iter()
            .filter(|(number, old)| new.resources.get(*number).is_none_or(|resource| resource.id != old.id))
            .map(|(_, old)| old.id.clone())
            .collect();
        edit
    }

    /// Makes the whole graph. `None` if there is a cycle.
    fn whole(&self) -> Option<ResourceGraph> {
        let mut graph = ResourceGraph::new();
        let vertices: BTreeMap<usize, _> =
            self.resources.iter().map(|(number, resource)| (*number, graph.add(Arc::clone(resource)))).collect();
        for ((from, to), notify) in &self.edges {
            graph.add_edge(Edge { from: vertices[from], to: vertices[to], notify: *notify, autoedge: false });
        }
        let ranks = add_autoedges(&mut graph, &AutoEdgeHost::default()).ok()?;
        graph.omit_contradictions(ranks).ok()?;
        Some(graph)
    }
}

/// The edges, for each resource the leader of its group, and the omitted edges.
type Shape =
    (BTreeMap<(ResourceId, ResourceId), bool>, BTreeMap<ResourceId, ResourceId>, Vec<(ResourceId, ResourceId)>);

fn shape(graph: &ResourceGraph) -> Shape {
    let id = |vertex| graph.resource(vertex).id.clone();
    let groups = autogroup(graph);
    let mut omitted: Vec<_> = graph.omitted().iter().map(|edge| (id(edge.from), id(edge.to))).collect();
    omitted.sort();
    (
        graph.edges().map(|edge| ((id(edge.from), id(edge.to)), edge.notify)).collect(),
        graph.vertices().map(|vertex| (id(vertex), id(groups.leader(vertex)))).collect(),
        omitted,
    )
}

fn assert_in_order(graph: &IncrementalGraph) {
    for vertex in graph.vertices.iter().flatten() {
        assert!(vertex.rank < graph.next_rank);
        for link in &vertex.predecessors {
            let before = graph.vertex(link.from).expect("a vertex of the graph");
            assert!(before.rank < vertex.rank, "{} is not before {}", before.resource.id, vertex.resource.id);
        }
    }
}

/// Makes random changes. Returns how many could be followed.
fn check_random_edits(random: &mut Rng) -> usize {
    let mut declared = Declared::default();
    let mut followed: Option<(IncrementalGraph, Shape)> = None;
    let mut edits = 0;
    for _ in 0..EDITS {
        let mut new = declared.clone();
        new.change(random);
        let whole = new.whole();
        let edited = followed.take().and_then(|(mut graph, (mut edges, mut leaders, omitted))| {
            let edit = declared.edit(&new);
            let changes = graph.edit(&edit)?;
            assert_in_order(&graph);
            for id in &edit.removed {
                edges.retain(|(from, to), _| from != id && to != id);
                leaders.remove(id);
            }
            for pair in changes.removed {
                assert!(edges.remove(&pair).is_some(), "{pair:?}");
            }
            for DeclaredEdge { from, to, notify } in changes.added {
                assert_eq!(edges.insert((from, to), notify), None);
            }
            leaders.extend(edit.added.iter().map(|resource| (resource.id.clone(), resource.id.clone())));
            Some((graph, (edges, leaders, omitted)))
        });
        followed = match (edited, whole) {
            (Some((graph, edited)), whole) => {
                edits += 1;
                assert_eq!(edited, shape(&whole.expect("an edit that is followed gives a graph")));
                Some((graph, edited))
            }
            (None, Some(whole)) => IncrementalGraph::of(&whole, &AutoEdgeHost::default()).map(|g| (g, shape(&whole))),
            (None, None) => None,
        };
        declared = new;
    }
    edits
}

#[test]
fn edited_graph_is_the_whole_graph() {
    let edits = mean_for_each_seed(4000, check_random_edits);
    assert!(edits > EDITS as f64 / 4.0, "{edits} edits for {EDITS} changes");
}

fn file(path: &str) -> Arc<Resource> {
    Arc::new(Resource::new(ResourceId::new("file", path)).with("state", "exists"))
}

fn graph(resources: &[Arc<Resource>]) -> IncrementalGraph {
    let mut graph = ResourceGraph::new();
    for resource in resources {
        graph.add(Arc::clone(resource));
    }
    add_autoedges(&mut graph, &AutoEdgeHost::default()).expect("edges");
    IncrementalGraph::of(&graph, &AutoEdgeHost::default()).expect("a graph to follow")
}

#[test]
fn directory_that_is_added_is_between_those_above_and_below() {
    let mut graph = graph(&[file("/a/"), file("/a/b/c"), file("/a/d")]);
    let changes = graph.edit(&GraphEdit { added: vec![file("/a/b/")], ..GraphEdit::default() }).expect("an edit");
    let id = |path: &str| ResourceId::new("file", path);
    assert_eq!(changes.removed, [(id("/a/"), id("/a/b/c"))]);
    let mut added: Vec<_> = changes.added.iter().map(|edge| format!("{} {}", edge.from.name, edge.to.name)).collect();
    added.sort();
    assert_eq!(added, ["/a/ /a/b/", "/a/b/ /a/b/c"]);
}

#[test]
fn what_was_forgotten_takes_no_memory() {
    let mut graph = graph(&[file("/a/")]);
    for number in 0..1000 {
        let added = file(&format!("/a/{number}/x"));
        let id = added.id.clone();
        graph.edit(&GraphEdit { added: vec![added], ..GraphEdit::default() }).expect("an edit");
        graph.edit(&GraphEdit { removed: vec![id], ..GraphEdit::default() }).expect("an edit");
    }
    assert!(graph.vertices.len() <= 3, "{}", graph.vertices.len());
    assert!(graph.autoedges.size() < 20, "{}", graph.autoedges.size());
}

#[test]
fn edge_to_what_may_be_grouped_is_followed_unless_it_comes_after_such_a_resource() {
    let print = |name: &str| Arc::new(Resource::new(ResourceId::new("print", name)));
    let edge =
        |to: &Arc<Resource>| DeclaredEdge { from: ResourceId::new("file", "/a/"), to: to.id.clone(), notify: false };
    let (a, b) = (print("a"), print("b"));
    let mut grouped = graph(&[file("/a/"), a.clone(), b.clone()]);
    assert!(grouped.edit(&GraphEdit { added: vec![file("/a/x")], ..GraphEdit::default() }).is_some());
    assert!(grouped.edit(&GraphEdit { added_edges: vec![edge(&a)], ..GraphEdit::default() }).is_some());
    let back = DeclaredEdge { from: b.id.clone(), to: ResourceId::new("file", "/a/"), notify: false };
    assert!(grouped.edit(&GraphEdit { added_edges: vec![back], ..GraphEdit::default() }).is_none());
}

/// Packages before and after the resources of a program: one more between two merge points.
#[test]
fn vertex_beside_others_between_resources_that_may_be_grouped_is_followed() {
    let new = |kind: &str, name: &str| Arc::new(Resource::new(ResourceId::new(kind, name)));
    let edge = |from: &Arc<Resource>, to: &Arc<Resource>| DeclaredEdge {
        from: from.id.clone(),
        to: to.id.clone(),
        notify: false,
    };
    let (a, b, begin, end) = (new("print", "a"), new("print", "b"), new("kv", "begin"), new("kv", "end"));
    let mut whole = graph(&[a.clone(), b.clone(), begin.clone(), end.clone()]);
    let between = |whole: &mut IncrementalGraph, name: &str| {
        let added = new("kv", name);
        let added_edges = vec![edge(&begin, &added), edge(&added, &end)];
        whole.edit(&GraphEdit { added: vec![added], added_edges, ..GraphEdit::default() })
    };
    let both_sides = [edge(&a, &begin), edge(&end, &b)];
    for added in both_sides.clone() {
        let edit = GraphEdit { added_edges: vec![added], ..GraphEdit::default() };
        whole.edit(&edit).expect("neither print reaches the other");
    }
    assert!(between(&mut whole, "x").is_none(), "now one reaches the other");
    let mut connected = ResourceGraph::new();
    let vertices = [&a, &begin, &end, &b].map(|resource| connected.add(Arc::clone(resource)));
    vertices.windows(2).for_each(|pair| connected.order(pair[0], pair[1]));
    let mut connected = IncrementalGraph::of(&connected, &AutoEdgeHost::default()).expect("a graph to follow");
    assert!(between(&mut connected, "x").is_some());
    let removed_edges = vec![edge(&begin, &end)];
    assert!(connected.edit(&GraphEdit { removed_edges, ..GraphEdit::default() }).is_some(), "x is between them");
    let x = new("kv", "x");
    let removed_edges = vec![edge(&begin, &x), edge(&x, &end)];
    let edit = GraphEdit { removed: vec![x.id.clone()], removed_edges, ..GraphEdit::default() };
    assert!(connected.edit(&edit).is_none(), "the prints may be grouped now");
}
