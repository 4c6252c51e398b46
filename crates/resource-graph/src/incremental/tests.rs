//! Edits of a graph against the whole computation.

use mcl_value::Value;
use test_support::{RandomChoice, Rng, for_each_seed_in_parallel};

use super::*;
use crate::{Edge, add_autoedges, autogroup};

const NAMES: usize = 14;
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
        10 => new("print", "p10"),
        11 => new("print", "p11"),
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

    /// Makes the whole graph. `None` if there is a cycle, or an edge that has to be omitted.
    fn whole(&self) -> Option<ResourceGraph> {
        let mut graph = ResourceGraph::new();
        let vertices: BTreeMap<usize, _> =
            self.resources.iter().map(|(number, resource)| (*number, graph.add(Arc::clone(resource)))).collect();
        for ((from, to), notify) in &self.edges {
            graph.add_edge(Edge { from: vertices[from], to: vertices[to], notify: *notify, autoedge: false });
        }
        add_autoedges(&mut graph, &AutoEdgeHost::default()).ok()?;
        graph.topological_order().is_ok().then_some(graph)
    }
}

/// The edges, and for each resource the leader of its group.
type Shape = (BTreeMap<(ResourceId, ResourceId), bool>, BTreeMap<ResourceId, ResourceId>);

fn shape(graph: &ResourceGraph) -> Shape {
    let id = |vertex| graph.resource(vertex).id.clone();
    let groups = autogroup(graph);
    (
        graph.edges().map(|edge| ((id(edge.from), id(edge.to)), edge.notify)).collect(),
        graph.vertices().map(|vertex| (id(vertex), id(groups.leader(vertex)))).collect(),
    )
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
        let edited = followed.take().and_then(|(mut graph, (mut edges, mut leaders))| {
            let edit = declared.edit(&new);
            let changes = graph.edit(&edit)?;
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
            Some((graph, (edges, leaders)))
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
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (edits, seeds) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each_seed_in_parallel(4000, |random| {
        edits.fetch_add(check_random_edits(random), Ordering::Relaxed);
        seeds.fetch_add(1, Ordering::Relaxed);
    });
    let (edits, seeds) = (edits.into_inner(), seeds.into_inner());
    assert!(edits > seeds * EDITS / 4, "{edits} of {}", seeds * EDITS);
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
fn edge_to_what_may_be_grouped_is_not_followed() {
    let print = |name: &str| Arc::new(Resource::new(ResourceId::new("print", name)));
    let edge =
        |to: &Arc<Resource>| DeclaredEdge { from: ResourceId::new("file", "/a/"), to: to.id.clone(), notify: false };
    let (a, b) = (print("a"), print("b"));
    let mut grouped = graph(&[file("/a/"), a.clone(), b.clone()]);
    assert!(grouped.edit(&GraphEdit { added: vec![file("/a/x")], ..GraphEdit::default() }).is_some());
    assert!(grouped.edit(&GraphEdit { added_edges: vec![edge(&a)], ..GraphEdit::default() }).is_none());
}
