//! Automatic edges (spec 05 §4.3, spec 06 §4.1): a resource that needs something is ordered after the resource that
//! provides it, if both are in the graph.
//!
//! Resources *offer* identities (a file its path, a user its name) and *want* the identities of others (a file wants the
//! directory that contains it). Each kind declares both in its [`AutoEdges`](crate::AutoEdges). An identity is the key of
//! a hash map, so the running time is linear in the number of identities that are offered and wanted. If several resources
//! offer the same identity, the one whose id sorts first is taken.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

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

/// The resources that take part, and the files of those that install packages.
struct Participants<'a> {
    resources: Vec<(VertexId, Params<'a>)>,
    package_files: FxHashMap<VertexId, Vec<String>>,
    home: Option<&'a str>,
}

impl<'a> Participants<'a> {
    fn of(graph: &'a ResourceGraph, host: &'a AutoEdgeHost<'_>) -> Participants<'a> {
        let resources: Vec<(VertexId, Params<'_>)> = graph
            .resources()
            .filter(|(_, resource)| resource.meta.autoedge)
            .filter_map(|(vertex, resource)| Some((vertex, Params::of(resource)?)))
            .filter(|(_, params)| params.kind().traits.autoedge)
            .collect();
        let mut package_files = FxHashMap::default();
        for (vertex, _) in resources.iter().filter(|(_, params)| params.kind().autoedges.package_files) {
            let files = host.package_files.map_or_else(Vec::new, |files| files(graph.resource(*vertex)));
            package_files.insert(*vertex, files);
        }
        Participants { resources, package_files, home: host.home.as_deref() }
    }

    /// Returns the participants with what their rules know about them.
    fn inputs(&self) -> impl Iterator<Item = (VertexId, AutoEdgeInput<'_>)> {
        self.resources.iter().map(|(vertex, params)| {
            let files = params.kind().autoedges.package_files.then(|| self.package_files.get(vertex)).flatten();
            let package_files = files.map_or(&[][..], Vec::as_slice);
            (*vertex, AutoEdgeInput { params: *params, package_files, home: self.home })
        })
    }
}

fn find_edges(graph: &ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<FoundEdges, Vec<AutoEdgeError>> {
    let participants = Participants::of(graph, host);
    let mut errors = Vec::new();
    let error = |vertex: VertexId, kind| AutoEdgeError { id: graph.resource(vertex).id.clone(), vertex, kind };
    let mut offers = Offers::new(graph);
    offers.host_dependent = participants.package_files.keys().copied().collect();
    for (vertex, input) in participants.inputs() {
        offers.vertex = vertex;
        if let Err(kind) = (input.params.kind().autoedges.offers)(&input, &mut offers) {
            errors.push(error(vertex, kind));
        }
    }
    let mut finder = EdgeFinder { offers: &offers, vertex: VertexId(0), found: FoundEdges::default() };
    for (vertex, input) in participants.inputs() {
        finder.vertex = vertex;
        if let Err(kind) = (input.params.kind().autoedges.wants)(&input, &mut finder) {
            errors.push(error(vertex, kind));
        }
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity<'a> {
    namespace: &'static str,
    key: Cow<'a, str>,
}

impl<'a> Identity<'a> {
    /// Creates an identity.
    pub fn new(namespace: &'static str, key: impl Into<Cow<'a, str>>) -> Identity<'a> {
        Identity { namespace, key: key.into() }
    }
}

/// The resources that offer one identity: the first by id, and the second one, for the case that the first one is the seeker.
#[derive(Clone, Copy)]
struct Candidates {
    first: VertexId,
    second: Option<VertexId>,
}

/// Everything that is offered.
pub struct Offers<'a> {
    graph: &'a ResourceGraph,
    /// The resource whose offers are being added.
    vertex: VertexId,
    /// The identities of each namespace. A graph has a few namespaces, which are faster to search than to hash.
    namespaces: Vec<(&'static str, FxHashMap<Cow<'a, str>, Candidates>)>,
    /// The members of each group.
    groups: FxHashMap<&'static str, Vec<VertexId>>,
    /// The resources whose offers depend on the host.
    host_dependent: FxHashSet<VertexId>,
}

impl<'a> Offers<'a> {
    fn new(graph: &'a ResourceGraph) -> Offers<'a> {
        Offers {
            graph,
            vertex: VertexId(0),
            namespaces: Vec::new(),
            groups: FxHashMap::default(),
            host_dependent: FxHashSet::default(),
        }
    }

    /// Adds an identity of the resource.
    pub fn add(&mut self, identity: Identity<'a>) {
        let Identity { namespace, key } = identity;
        let index = self.namespaces.iter().position(|(name, _)| *name == namespace).unwrap_or_else(|| {
            self.namespaces.push((namespace, FxHashMap::default()));
            self.namespaces.len() - 1
        });
        let vertex = self.vertex;
        match self.namespaces[index].1.entry(key) {
            Entry::Vacant(vacant) => {
                vacant.insert(Candidates { first: vertex, second: None });
            }
            Entry::Occupied(mut occupied) => {
                let id = |v: VertexId| &self.graph.resource(v).id;
                let known = occupied.get_mut();
                if id(vertex) < id(known.first) {
                    *known = Candidates { first: vertex, second: Some(known.first) };
                } else if known.second.is_none_or(|second| id(vertex) < id(second)) {
                    known.second = Some(vertex);
                }
            }
        }
    }

    /// Adds the resource to a group of which others want every member.
    pub fn join(&mut self, group: &'static str) {
        self.groups.entry(group).or_default().push(self.vertex);
    }
}

/// Finds the edges of one resource.
pub struct EdgeFinder<'a> {
    offers: &'a Offers<'a>,
    /// The resource whose edges are being searched.
    vertex: VertexId,
    found: FoundEdges,
}

impl EdgeFinder<'_> {
    /// Orders the resource after the one that offers an identity. Returns whether there is one.
    pub fn after(&mut self, identity: &Identity<'_>) -> bool {
        let candidate = self.candidate(identity);
        candidate.map(|candidate| self.add(candidate, self.vertex)).is_some()
    }

    /// Orders the resource before the one that offers an identity. Returns whether there is one.
    pub fn before(&mut self, identity: &Identity<'_>) -> bool {
        let candidate = self.candidate(identity);
        candidate.map(|candidate| self.add(self.vertex, candidate)).is_some()
    }

    /// Orders the resource after every member of a group.
    pub fn after_all(&mut self, group: &'static str) {
        for member in self.offers.groups.get(group).into_iter().flatten() {
            if *member != self.vertex {
                self.add(*member, self.vertex);
            }
        }
    }

    fn candidate(&self, identity: &Identity<'_>) -> Option<VertexId> {
        let (_, identities) = self.offers.namespaces.iter().find(|(name, _)| *name == identity.namespace)?;
        let candidates = identities.get(&*identity.key)?;
        if candidates.first == self.vertex { candidates.second } else { Some(candidates.first) }
    }

    fn add(&mut self, from: VertexId, to: VertexId) {
        let host_dependent = &self.offers.host_dependent;
        let yields = host_dependent.contains(&from) || host_dependent.contains(&to);
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
