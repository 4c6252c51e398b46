//! Random resources and changes of their values: where the patcher fits a change into the graph, the whole graph is the same.

use mcl_diagnostics::Diagnostic;
use mcl_value::Value;
use resource_engine::GroupEdge;
use resource_graph::{AutoEdgeHost, ResourceGraph};
use std::sync::atomic::{AtomicUsize, Ordering};
use test_support::{RandomChoice, Rng, for_each_seed_in_parallel};

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
    let host = AutoEdgeHost {
        home: Some("/home/u".to_owned()),
        package_files: Some(&package_files),
        primary_groups: Some(&primary_groups),
    };
    finalize(graph, &host)
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
        let patch = current.as_mut().and_then(|current| current.patcher.patch(&changes));
        let (Some(groups), Some(last)) = (patch, &current) else {
            current = fresh.ok();
            continue;
        };
        patches += 1;
        let fresh = fresh.expect("a change that fits in contradicts nothing");
        let mut patched = last.engine.groups().to_vec();
        for group in groups {
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
    let (patches, seeds) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_each_seed_in_parallel(2000, |random| {
        patches.fetch_add(check_random_changes(random), Ordering::Relaxed);
        seeds.fetch_add(1, Ordering::Relaxed);
    });
    let (patches, changes) = (patches.into_inner(), seeds.into_inner() * CHANGES);
    assert!(patches > changes / 10, "{patches} patches for {changes} changes");
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
    let groups = finalized.patcher.patch(&[change]).expect("a patch");
    let [group] = &groups[..] else { panic!("one group: {groups:?}") };
    let data: Vec<_> =
        group.iter().filter_map(|r| Some((r.id.name.to_string(), r.params.get("data")?.to_string()))).collect();
    let mut data: Vec<String> = data.into_iter().map(|(name, data)| format!("{name} {data}")).collect();
    data.sort();
    assert_eq!(data, ["/a \"2\"", "/b \"1\""]);
}
