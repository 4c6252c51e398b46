//! Random resources and changes of their values: where the patcher fits a change into the graph, the whole graph is the same.

mod merged;

use mcl_diagnostics::Diagnostic;
use mcl_value::Value;
use resource_engine::GroupEdge;
use resource_graph::{AutoEdgeHost, DeclaredEdge, Edge, ResourceGraph};
use test_support::{RandomChoice, Rng, mean_for_each_seed};

use super::*;
use crate::finalize::{Finalized, finalize};

const RESOURCES: usize = 12;
const CHANGES: usize = 20;

/// Sets a random parameter or meta parameter to a random value.
fn change(resource: &mut Resource, random: &mut Rng) {
    let one_of = |random: &mut Rng, items: &[&'static str]| items[random.usize(..items.len())];
    let number = |random: &mut Rng| one_of(random, &["1", "2", "3"]);
    let (name, value): (&str, Value) = match (&*resource.id.kind, random.usize(..4)) {
        ("file", 0) => ("state", one_of(random, &["exists", "absent"]).into()),
        ("file", 1) => ("mode", one_of(random, &["0644", "0600"]).into()),
        ("file", 2) => ("path", format!("/d{}/f{}", number(random), number(random)).as_str().into()),
        ("exec", 0) => ("cmd", format!("/d1/f{} {}", number(random), number(random)).as_str().into()),
        ("exec", 1) => ("user", format!("user{}", number(random)).as_str().into()),
        ("user", 0) => ("groups", Value::list([format!("group{}", number(random)).as_str()])),
        ("user" | "group" | "line", 1) => ("state", one_of(random, &["exists", "absent"]).into()),
        ("pkg", 0) => ("state", one_of(random, &["installed", "newest"]).into()),
        ("pkg", 1) => ("allowuntrusted", random.bool().into()),
        ("svc", 0 | 1) => ("state", one_of(random, &["running", "stopped"]).into()),
        ("line", 0) => ("file", format!("/d1/f{}", number(random)).as_str().into()),
        (_, 3) => {
            match random.usize(..6) {
                0 => resource.meta.noop = random.one_in(3),
                1 => resource.meta.autoedge = !random.one_in(3),
                2 => resource.meta.autogroup = !random.one_in(3),
                3 => resource.meta.poll = 5,
                4 => resource.meta.sema = vec![number(random).to_owned()],
                _ => resource.meta.retry = 3,
            }
            return;
        }
        _ => ("content", number(random).into()),
    };
    resource.params.insert(name.into(), value);
}

fn random_resource(number: usize, random: &mut Rng) -> Resource {
    let kind = *random.pick(&["file", "file", "exec", "user", "group", "pkg", "pkg", "svc", "line"]);
    let name = match kind {
        "file" => format!("/d{}/f{number}", number % 3 + 1),
        "user" | "group" => format!("{kind}{number}"),
        _ => format!("{number}"),
    };
    let mut resource = Resource::new(ResourceId::new(kind, name.as_str())).with("state", "exists");
    match kind {
        "pkg" => resource = resource.with("state", "installed"),
        "svc" => resource = resource.with("state", "running"),
        "line" => resource = resource.with("file", "/d1/f1"),
        _ => {}
    }
    for _ in 0..random.usize(..4) {
        change(&mut resource, random);
    }
    resource
}

fn package_files(resource: &Resource) -> Vec<String> {
    vec![format!("/d1/f{}", resource.id.name), "/d2/".to_owned()]
}

fn primary_groups(users: &[&str]) -> Vec<Option<String>> {
    users.iter().map(|user| Some(user.replace("user", "group"))).collect()
}

/// What the engine and people get to see of a graph.
#[derive(Debug, PartialEq)]
struct Shown {
    groups: Vec<String>,
    edges: Vec<GroupEdge>,
    notes: Vec<Diagnostic>,
}

fn shown(groups: &[Group], edges: &[GroupEdge], notes: &[Diagnostic]) -> Shown {
    Shown {
        groups: groups.iter().map(|group| format!("{:?}", group.to_vec())).collect(),
        edges: edges.to_vec(),
        notes: notes.to_vec(),
    }
}

fn whole(resources: &[Arc<Resource>], edges: &[(usize, usize)]) -> Result<Finalized, Vec<Diagnostic>> {
    let mut graph = ResourceGraph::new();
    let vertices: Vec<_> = resources.iter().map(|resource| graph.add(resource.clone())).collect();
    for (from, to) in edges {
        graph.order(vertices[*from], vertices[*to]);
    }
    finalize(graph, &host())
}

fn host() -> AutoEdgeHost<'static> {
    AutoEdgeHost {
        home: Some("/home/u".to_owned()),
        package_files: Some(&package_files),
        primary_groups: Some(&primary_groups),
    }
}

/// Changes random values; returns how often that was a patch.
fn check_random_changes(random: &mut Rng) -> usize {
    let mut resources: Vec<Arc<Resource>> =
        (0..RESOURCES).map(|number| Arc::new(random_resource(number, random))).collect();
    let edges: Vec<(usize, usize)> = (0..random.usize(..4))
        .map(|_| {
            let to = 1 + random.usize(..RESOURCES - 1);
            (random.usize(..to), to)
        })
        .collect();
    let mut current = whole(&resources, &edges).ok();
    let mut patches = 0;
    for _ in 0..CHANGES {
        let mut changed: Vec<usize> = (0..1 + random.usize(..2)).map(|_| random.usize(..RESOURCES)).collect();
        changed.sort_unstable();
        changed.dedup();
        let mut changes = Vec::new();
        for index in changed {
            let mut new = (*resources[index]).clone();
            change(&mut new, random);
            changes.push(ChangedResource { old: resources[index].clone(), new: Arc::new(new.clone()) });
            resources[index] = Arc::new(new);
        }
        let fresh = whole(&resources, &edges);
        let changes = GraphChanges { changed: changes, ..GraphChanges::default() };
        let patch = current.as_mut().and_then(|current| current.patcher.patch(&changes));
        let (Some(patch), Some(last)) = (patch, &current) else {
            current = fresh.ok();
            continue;
        };
        assert!(!patch.is_structural());
        patches += 1;
        let fresh = fresh.expect("a change that fits in contradicts nothing");
        let mut patched = last.engine.groups().to_vec();
        for group in patch.replaced {
            let known = patched.iter_mut().find(|known| known[0].id == group[0].id);
            *known.expect("the leader is in the graph") = group;
        }
        assert_eq!(
            shown(&patched, last.engine.edges(), &last.notes),
            shown(fresh.engine.groups(), fresh.engine.edges(), &fresh.notes)
        );
        // The patcher goes on with what it has made of the first graph.
        let patcher = current.take().map(|last| last.patcher);
        current = patcher.map(|patcher| Finalized { patcher, ..fresh });
    }
    patches
}

#[test]
fn patched_graph_is_the_whole_graph() {
    let patches = mean_for_each_seed(2000, check_random_changes);
    assert!(patches > CHANGES as f64 / 10.0, "{patches} patches for {CHANGES} changes");
}

/// A program whose resources come and go: they and their edges, by number.
#[derive(Clone, Default)]
struct Declared {
    resources: BTreeMap<usize, Arc<Resource>>,
    edges: BTreeMap<(usize, usize), bool>,
}

impl Declared {
    fn change(&mut self, random: &mut Rng) {
        for _ in 0..1 + random.usize(..2) {
            let number = random.usize(..RESOURCES);
            match self.resources.get_mut(&number) {
                Some(resource) if random.bool() => change(Arc::make_mut(resource), random),
                Some(_) => drop(self.resources.remove(&number)),
                // The numbers have a kind each, or edges would mean another thing.
                None => drop(self.resources.insert(number, Arc::new(random_resource(number, random)))),
            }
        }
        if random.one_in(3) {
            let to = 1 + random.usize(..RESOURCES - 1);
            let pair = (random.usize(..to), to);
            if self.edges.remove(&pair).is_none() {
                self.edges.insert(pair, random.bool());
            }
        }
        let resources = &self.resources;
        self.edges.retain(|(from, to), _| resources.contains_key(from) && resources.contains_key(to));
    }

    fn graph(&self) -> ResourceGraph {
        let mut graph = ResourceGraph::new();
        let vertices: BTreeMap<usize, _> =
            self.resources.iter().map(|(number, resource)| (*number, graph.add(Arc::clone(resource)))).collect();
        for ((from, to), notify) in &self.edges {
            graph.add_edge(Edge { from: vertices[from], to: vertices[to], notify: *notify, autoedge: false });
        }
        graph
    }

    fn edge(&self, (from, to): (usize, usize), notify: bool) -> DeclaredEdge {
        DeclaredEdge { from: self.resources[&from].id.clone(), to: self.resources[&to].id.clone(), notify }
    }

    fn changes(&self, new: &Declared) -> GraphChanges {
        let differing = |a: &Declared, b: &Declared| -> Vec<DeclaredEdge> {
            // The edges of what is another resource now are other edges.
            let is_in = |pair: &(usize, usize), notify: bool| {
                b.edges.get(pair) == Some(&notify) && a.edge(*pair, notify) == b.edge(*pair, notify)
            };
            let edges = a.edges.iter().filter(|(pair, notify)| !is_in(pair, **notify));
            edges.map(|(pair, notify)| a.edge(*pair, *notify)).collect()
        };
        let mut changes = GraphChanges {
            removed_edges: differing(self, new),
            added_edges: differing(new, self),
            ..GraphChanges::default()
        };
        for (number, old) in &self.resources {
            match new.resources.get(number).filter(|new| new.id == old.id) {
                Some(new) if Arc::ptr_eq(old, new) => {}
                Some(new) => changes.changed.push(ChangedResource { old: old.clone(), new: new.clone() }),
                None => changes.removed.push(old.clone()),
            }
        }
        let is_new =
            |(number, new): &(&usize, &Arc<Resource>)| self.resources.get(*number).is_none_or(|old| old.id != new.id);
        changes.added = new.resources.iter().filter(is_new).map(|(_, resource)| resource.clone()).collect();
        changes
    }
}

/// Makes the final graph of declared resources, and follows it.
fn followed(graph: ResourceGraph) -> Result<Finalized, Vec<Diagnostic>> {
    let mut finalized = finalize(graph, &host())?;
    finalized.patcher.follow(&finalized.graph, &host());
    Ok(finalized)
}

/// The groups by the id of their leader, and the edges between leaders.
type Structure = (BTreeMap<ResourceId, String>, BTreeMap<(ResourceId, ResourceId), bool>);

/// A structure with the notes about it, and what fits changes into it.
type Current = (Structure, Vec<Diagnostic>, Patcher);

fn current(finalized: Finalized) -> Current {
    (structure(&finalized.engine), finalized.notes, finalized.patcher)
}

fn structure(graph: &EngineGraph) -> Structure {
    let leader = |group: u32| graph.groups()[group as usize][0].id.clone();
    (
        graph.groups().iter().map(|group| (group[0].id.clone(), format!("{:?}", group.to_vec()))).collect(),
        graph.edges().iter().map(|edge| ((leader(edge.from), leader(edge.to)), edge.notify)).collect(),
    )
}

fn patched((mut groups, mut edges): Structure, patch: GraphPatch) -> Structure {
    for id in &patch.removed {
        groups.remove(id).expect("a leader");
        edges.retain(|(from, to), _| from != id && to != id);
    }
    for group in patch.replaced {
        groups.insert(group[0].id.clone(), format!("{:?}", group.to_vec())).expect("a leader");
    }
    for group in patch.added {
        assert_eq!(groups.insert(group[0].id.clone(), format!("{:?}", group.to_vec())), None);
    }
    for edge in patch.removed_edges {
        edges.remove(&edge).expect("an edge");
    }
    for edge in patch.added_edges {
        assert_eq!(edges.insert((edge.from, edge.to), edge.notify), None);
    }
    (groups, edges)
}

/// Lets random resources come and go; returns how often that was a patch of the structure.
fn check_random_structures(random: &mut Rng) -> usize {
    let mut declared = Declared::default();
    let mut latest = followed(declared.graph()).ok().map(current);
    let mut patches = 0;
    for _ in 0..CHANGES {
        let mut new = declared.clone();
        new.change(random);
        let changes = declared.changes(&new);
        let fresh = followed(new.graph());
        let patch = latest.as_mut().and_then(|(_, _, patcher)| patcher.patch(&changes));
        latest = match (patch, latest.take()) {
            (Some(patch), Some((before, notes, patcher))) => {
                patches += usize::from(patch.is_structural());
                let fresh = fresh.expect("a change that fits in contradicts nothing");
                let after = patched(before, patch);
                assert_eq!((&after, &notes), (&structure(&fresh.engine), &fresh.notes));
                Some((after, notes, patcher))
            }
            _ => fresh.ok().map(current),
        };
        declared = new;
    }
    patches
}

#[test]
fn patched_structure_is_that_of_the_whole_graph() {
    let patches = mean_for_each_seed(2000, check_random_structures);
    assert!(patches > CHANGES as f64 / 10.0, "{patches} patches for {CHANGES} changes");
}

#[test]
fn member_of_a_group_is_patched_in_its_group() {
    let package = |name: &str, files: &str| {
        let params = Resource::new(ResourceId::new("http:server:file", name)).with("server", ":80");
        Arc::new(params.with("data", files))
    };
    let server = Arc::new(Resource::new(ResourceId::new("http:server", ":80")));
    let old = [server, package("/a", "1"), package("/b", "1")];
    let mut finalized = whole(&old, &[]).expect("a graph");
    assert_eq!(finalized.engine.groups().len(), 1);
    let change = ChangedResource { old: old[1].clone(), new: package("/a", "2") };
    let changes = GraphChanges { changed: vec![change], ..GraphChanges::default() };
    let groups = finalized.patcher.patch(&changes).expect("a patch").replaced;
    let [group] = &groups[..] else { panic!("one group: {groups:?}") };
    let data: Vec<_> =
        group.iter().filter_map(|r| Some((r.id.name.to_string(), r.params.get("data")?.to_string()))).collect();
    let mut data: Vec<String> = data.into_iter().map(|(name, data)| format!("{name} {data}")).collect();
    data.sort();
    assert_eq!(data, ["/a \"2\"", "/b \"1\""]);
}
