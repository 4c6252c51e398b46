//! Automatic edges (spec 05 §4.3, spec 06 §4.1): a resource that needs something is ordered after the resource that
//! provides it, if both are in the graph.
//!
//! Resources *offer* identities (a file its path, a user its name) and *want* the identities of others (a file wants the
//! directory that contains it). Each kind declares both in its [`AutoEdges`](crate::AutoEdges). An identity is the key of
//! a hash map, so the running time is linear in the number of identities that are offered and wanted. If several resources
//! offer the same identity, the one whose id sorts first is taken.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::{Edge, Params, Resource, ResourceGraph, ResourceId, VertexId};

/// Returns the files of a package, directories with a trailing `/`; empty for an unknown package.
pub type PackageFiles<'a> = dyn Fn(&Resource) -> Vec<String> + 'a;

/// What the algorithm needs to know about the host.
#[derive(Default)]
pub struct AutoEdgeHost<'a> {
    /// The files of packages. Without it, packages get no automatic edges.
    pub package_files: Option<&'a PackageFiles<'a>>,
    /// The home directory, for units of the user's service manager.
    pub home: Option<String>,
}

/// A resource whose automatic edges cannot be determined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoEdgeError {
    /// The resource.
    pub id: ResourceId,
    /// Its vertex.
    pub vertex: VertexId,
    /// The cause.
    pub kind: AutoEdgeErrorKind,
}

/// Why the automatic edges of a resource cannot be determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoEdgeErrorKind {
    /// [`AutoEdgeHost::home`] is missing.
    HomeNotSet,
}

impl std::fmt::Display for AutoEdgeErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            AutoEdgeErrorKind::HomeNotSet => {
                "units of the user's service manager need a home directory, but `HOME` is not set"
            }
        })
    }
}

impl std::fmt::Display for AutoEdgeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot determine the automatic edges of {}: {}", self.id, self.kind)
    }
}

impl std::error::Error for AutoEdgeError {}

/// Adds the automatic edges. Existing edges are not changed.
///
/// # Errors
/// Every resource whose automatic edges cannot be determined; the graph is unchanged then.
pub fn add_autoedges(graph: &mut ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<(), Vec<AutoEdgeError>> {
    let found = find_edges(graph, host)?;
    for edge in found.edges {
        graph.add_edge(edge);
    }
    for edge in found.yielding {
        if !graph.reaches(edge.to, edge.from) {
            graph.add_edge(edge);
        }
    }
    Ok(())
}

/// The edges that were found.
#[derive(Default)]
struct FoundEdges {
    edges: Vec<Edge>,
    /// Edges that depend on the host's packages: they yield to the order that the program declares.
    yielding: Vec<Edge>,
}

/// What the rules of a kind know about one resource.
#[derive(Debug)]
pub struct AutoEdgeInput<'a> {
    /// The parameters.
    pub params: Params<'a>,
    /// The files of the package that the resource installs; empty unless the kind asks for them.
    pub package_files: &'a [String],
    /// The home directory.
    pub home: Option<&'a str>,
}

/// A resource with automatic edges.
struct Participant<'a> {
    vertex: VertexId,
    params: Params<'a>,
    package_files: Vec<String>,
}

impl Participant<'_> {
    fn input<'a>(&'a self, host: &'a AutoEdgeHost<'_>) -> AutoEdgeInput<'a> {
        AutoEdgeInput { params: self.params, package_files: &self.package_files, home: host.home.as_deref() }
    }

    fn is_host_dependent(&self) -> bool {
        self.params.kind().autoedges.package_files
    }
}

fn find_edges(graph: &ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<FoundEdges, Vec<AutoEdgeError>> {
    let participants: Vec<Participant<'_>> = graph
        .resources()
        .filter(|(_, resource)| resource.meta.autoedge)
        .filter_map(|(vertex, resource)| {
            let params = Params::of(resource).filter(|params| params.kind().traits.autoedge)?;
            let files = host.package_files.filter(|_| params.kind().autoedges.package_files);
            Some(Participant { vertex, params, package_files: files.map_or_else(Vec::new, |files| files(resource)) })
        })
        .collect();
    let mut errors = Vec::new();
    let error = |vertex: VertexId, kind| AutoEdgeError { id: graph.resource(vertex).id.clone(), vertex, kind };
    let mut offers = Offers::new(graph);
    for participant in &participants {
        (offers.vertex, offers.host_dependent) = (participant.vertex, participant.is_host_dependent());
        let offer = participant.params.kind().autoedges.offers;
        errors.extend(offer(&participant.input(host), &mut offers).err().map(|kind| error(participant.vertex, kind)));
    }
    let mut finder =
        EdgeFinder { offers: &offers, vertex: VertexId(0), host_dependent: false, found: FoundEdges::default() };
    for participant in &participants {
        (finder.vertex, finder.host_dependent) = (participant.vertex, participant.is_host_dependent());
        let want = participant.params.kind().autoedges.wants;
        errors.extend(want(&participant.input(host), &mut finder).err().map(|kind| error(participant.vertex, kind)));
    }
    if errors.is_empty() {
        return Ok(finder.found);
    }
    errors.sort_by_key(|error| error.vertex);
    errors.dedup_by_key(|error| error.vertex);
    Err(errors)
}

/// Something that one resource offers and others may want: a key in a namespace.
///
/// A namespace belongs to the kind that offers its identities; its file defines the constructors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity<'a> {
    key: Cow<'a, str>,
    namespace: &'static str,
}

impl<'a> Identity<'a> {
    /// Creates an identity.
    pub fn new(namespace: &'static str, key: impl Into<Cow<'a, str>>) -> Identity<'a> {
        Identity { key: key.into(), namespace }
    }
}

/// A resource that offers an identity.
#[derive(Clone, Copy)]
struct Candidate {
    vertex: VertexId,
    host_dependent: bool,
}

/// The resources that offer one identity: the first by id, and the second one, for the case that the first one is the seeker.
#[derive(Clone, Copy)]
struct Candidates {
    first: Candidate,
    second: Option<Candidate>,
}

/// Everything that is offered.
pub struct Offers<'a> {
    graph: &'a ResourceGraph,
    /// The resource whose offers are being added.
    vertex: VertexId,
    host_dependent: bool,
    candidates: FxHashMap<Identity<'a>, Candidates>,
    /// The resources that offer the same as a whole.
    members: FxHashMap<&'static str, Vec<Candidate>>,
}

impl<'a> Offers<'a> {
    fn new(graph: &'a ResourceGraph) -> Offers<'a> {
        Offers {
            graph,
            vertex: VertexId(0),
            host_dependent: false,
            candidates: FxHashMap::default(),
            members: FxHashMap::default(),
        }
    }

    fn current(&self) -> Candidate {
        Candidate { vertex: self.vertex, host_dependent: self.host_dependent }
    }

    /// Adds an identity of the resource.
    pub fn add(&mut self, identity: Identity<'a>) {
        let candidate = self.current();
        match self.candidates.entry(identity) {
            Entry::Vacant(vacant) => {
                vacant.insert(Candidates { first: candidate, second: None });
            }
            Entry::Occupied(mut occupied) => {
                let id = |p: Candidate| &self.graph.resource(p.vertex).id;
                let known = occupied.get_mut();
                if id(candidate) < id(known.first) {
                    *known = Candidates { first: candidate, second: Some(known.first) };
                } else if known.second.is_none_or(|second| id(candidate) < id(second)) {
                    known.second = Some(candidate);
                }
            }
        }
    }

    /// Adds the resource to a group of which others want every member.
    pub fn join(&mut self, group: &'static str) {
        let candidate = self.current();
        self.members.entry(group).or_default().push(candidate);
    }
}

/// Finds the edges of one resource.
pub struct EdgeFinder<'a> {
    offers: &'a Offers<'a>,
    /// The resource whose edges are being searched.
    vertex: VertexId,
    host_dependent: bool,
    found: FoundEdges,
}

impl EdgeFinder<'_> {
    /// Orders the resource after the one that offers an identity. Returns whether there is one.
    pub fn after(&mut self, identity: &Identity<'_>) -> bool {
        let candidate = self.candidate(identity);
        candidate.map(|candidate| self.add(candidate, candidate.vertex, self.vertex)).is_some()
    }

    /// Orders the resource before the one that offers an identity. Returns whether there is one.
    pub fn before(&mut self, identity: &Identity<'_>) -> bool {
        let candidate = self.candidate(identity);
        candidate.map(|candidate| self.add(candidate, self.vertex, candidate.vertex)).is_some()
    }

    /// Orders the resource after every member of a group.
    pub fn after_all(&mut self, group: &'static str) {
        for candidate in self.offers.members.get(group).into_iter().flatten() {
            if candidate.vertex != self.vertex {
                self.add(*candidate, candidate.vertex, self.vertex);
            }
        }
    }

    fn candidate(&self, identity: &Identity<'_>) -> Option<Candidate> {
        let candidates = self.offers.candidates.get(identity)?;
        if candidates.first.vertex == self.vertex { candidates.second } else { Some(candidates.first) }
    }

    fn add(&mut self, candidate: Candidate, from: VertexId, to: VertexId) {
        let yields = self.host_dependent || candidate.host_dependent;
        let edges = if yields { &mut self.found.yielding } else { &mut self.found.edges };
        edges.push(Edge { from, to, notify: false, autoedge: true });
    }
}

#[cfg(test)]
mod tests {
    use mcl_value::Value;

    use super::*;

    fn resource(kind: &str, name: &str) -> Resource {
        Resource::new(ResourceId::new(kind, name))
    }

    #[track_caller]
    fn check(resources: Vec<Resource>, host: &AutoEdgeHost<'_>, expected: &[&str]) {
        let mut g = ResourceGraph::new();
        for r in resources {
            g.add(r);
        }
        add_autoedges(&mut g, host).unwrap();
        let mut edges: Vec<String> =
            g.edges().map(|e| format!("{} -> {}", g.resource(e.from).id, g.resource(e.to).id)).collect();
        edges.sort();
        assert_eq!(edges, expected);
    }

    fn plain() -> AutoEdgeHost<'static> {
        AutoEdgeHost::default()
    }

    #[test]
    fn a_file_follows_its_nearest_directory_and_its_fragments() {
        let fragments = Value::list(["/p/1", "/p/"]);
        check(
            vec![
                resource("file", "/d/"),
                resource("file", "/d/e/f").with("fragments", fragments),
                resource("file", "/p/1"),
                resource("file", "/p/"),
                resource("file", "/"),
            ],
            &plain(),
            &[
                "file[/] -> file[/d/]",
                "file[/] -> file[/p/]",
                "file[/d/] -> file[/d/e/f]",
                "file[/p/1] -> file[/d/e/f]",
                "file[/p/] -> file[/d/e/f]",
                "file[/p/] -> file[/p/1]",
            ],
        );
    }

    #[test]
    fn the_first_of_several_is_taken_and_never_oneself() {
        check(
            vec![
                resource("file", "b").with("path", "/d/"),
                resource("file", "a").with("path", "/d/"),
                resource("file", "f").with("path", "/d/f"),
                resource("file", "/self").with("fragments", Value::list(["/self"])),
            ],
            &plain(),
            &["file[a] -> file[f]"],
        );
    }

    #[test]
    fn a_group_without_a_number_is_not_any_group() {
        check(
            vec![resource("group", "a"), resource("user", "u").with("state", "exists").with("gid", 7)],
            &plain(),
            &[],
        );
    }

    #[test]
    fn written_edges_keep_their_notification() {
        let mut g = ResourceGraph::new();
        let d = g.add(resource("file", "/d/"));
        let f = g.add(resource("file", "/d/f"));
        g.add_edge(Edge { from: d, to: f, notify: true, autoedge: false });
        add_autoedges(&mut g, &plain()).unwrap();
        assert_eq!(g.edges().collect::<Vec<_>>(), [Edge { from: d, to: f, notify: true, autoedge: false }]);
    }

    #[test]
    fn packages_come_before_their_services_and_files_and_programs_that_run() {
        let files = |r: &Resource| match &*r.id.name {
            "web" => [
                "/usr/",
                "/usr/lib/systemd/system/web.service",
                "/etc/",
                "/etc/web/",
                "/etc/web/a",
                "/etc/web/b",
                "/usr/bin/web",
            ]
            .map(String::from)
            .to_vec(),
            _ => Vec::new(),
        };
        check(
            vec![
                resource("pkg", "web"),
                resource("svc", "web"),
                resource("file", "/etc/web/"),
                resource("file", "/etc/web/a"),
                resource("exec", "/usr/bin/web --check"),
                resource("file", "/etc/"),
            ],
            &AutoEdgeHost { package_files: Some(&files), home: None },
            &[
                "file[/etc/] -> file[/etc/web/]",
                "file[/etc/web/] -> file[/etc/web/a]",
                "pkg[web] -> exec[/usr/bin/web --check]",
                "pkg[web] -> file[/etc/]",
                "pkg[web] -> file[/etc/web/]",
                "pkg[web] -> file[/etc/web/a]",
                "pkg[web] -> svc[web]",
            ],
        );
    }

    #[test]
    fn what_a_package_holds_gives_way_to_the_programs_order() {
        let files = |_: &Resource| vec!["/usr/bin/tool".to_owned()];
        let mut g = ResourceGraph::new();
        let (exec, pkg) = (g.add(resource("exec", "/usr/bin/tool")), g.add(resource("pkg", "tool")));
        g.order(exec, pkg);
        add_autoedges(&mut g, &AutoEdgeHost { package_files: Some(&files), home: None }).unwrap();
        assert_eq!(g.edge_count(), 1);
        assert!(g.topological_order().is_ok());
    }

    #[test]
    fn user_units_are_in_the_home_directory() {
        let timer = resource("cron", "t").with("session", true).with("unit", "s.service");
        let svc = resource("svc", "s").with("session", true);
        check(
            vec![timer.clone(), svc.clone(), resource("file", "/home/u/.config/systemd/user/s.service")],
            &AutoEdgeHost { package_files: None, home: Some("/home/u/".to_owned()) },
            &["file[/home/u/.config/systemd/user/s.service] -> svc[s]", "svc[s] -> cron[t]"],
        );
        let mut g = ResourceGraph::new();
        g.add(svc);
        g.add(timer);
        let errors = add_autoedges(&mut g, &plain()).unwrap_err();
        assert_eq!(errors.len(), 2);
        assert_eq!(g.edge_count(), 0);
    }

    #[test]
    fn containers_follow_their_image() {
        check(
            vec![
                resource("docker:image", "reg:5000/app"),
                resource("docker:container", "c").with("image", "reg:5000/app:latest"),
                resource("docker:container", "gone").with("image", "reg:5000/app").with("state", "removed"),
            ],
            &plain(),
            &[
                "docker:container[gone] -> docker:image[reg:5000/app]",
                "docker:image[reg:5000/app] -> docker:container[c]",
            ],
        );
    }
}
