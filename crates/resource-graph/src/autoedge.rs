//! Automatic edges (spec 05 §4.3, spec 06 §4.1): a resource that needs something is ordered after the resource that
//! provides it, if both are in the graph.
//!
//! Resources *offer* identities (a file its path, a user its name) and *want* the identities of others (a file wants the
//! directory that contains it). Each kind declares both in its [`AutoEdges`](crate::AutoEdges). An identity is the key of
//! a hash map, so the running time is linear in the number of identities that are offered and wanted. If several resources
//! offer the same identity, the one whose id sorts first is taken.
//!
//! What a resource needs must also outlive it: if both are to be removed, the edge is reversed. A directory is removed after
//! the files in it, and a group after its users.

mod index;

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use index::{AutoEdgeIndex, OwnEdge};

use crate::{Edge, EdgeRanks, Params, Resource, ResourceGraph, ResourceId, VertexId};

/// Returns the files of a package, directories with a trailing `/`; empty for an unknown package.
pub type PackageFiles<'a> = dyn Fn(&Resource) -> Vec<String> + 'a;

/// Returns the name of the primary group that each of the users has on the host, if the user and the group exist.
pub type PrimaryGroups<'a> = dyn Fn(&[&str]) -> Vec<Option<String>> + 'a;

/// What the algorithm needs to know about the host.
#[derive(Default)]
pub struct AutoEdgeHost<'a> {
    /// The files of packages. Without it, packages get no automatic edges.
    pub package_files: Option<&'a PackageFiles<'a>>,
    /// The primary groups of users. Without it, a group that is to be removed is only ordered after the users whose
    /// declaration names it.
    pub primary_groups: Option<&'a PrimaryGroups<'a>>,
    /// The home directory, for units of the user's service manager.
    pub home: Option<String>,
}

/// What the rules of a kind want to know about the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostFact {
    /// Nothing.
    Nothing,
    /// The files of the package: [`AutoEdgeInput::package_files`].
    PackageFiles,
    /// The primary group of a user that is to be removed: [`AutoEdgeInput::primary_group`].
    PrimaryGroup,
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

/// Adds the automatic edges. Existing edges are not changed. The result may have cycles, which
/// [`ResourceGraph::omit_contradictions`] removes with the ranks that are returned.
///
/// # Errors
/// Every resource whose automatic edges cannot be determined; the graph is unchanged then.
pub fn add_autoedges(graph: &mut ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<EdgeRanks, Vec<AutoEdgeError>> {
    let found = find_edges(graph, host)?;
    let rules = graph.edge_count();
    found.edges.into_iter().for_each(|edge| graph.add_edge(edge));
    let host = graph.edge_count();
    found.by_host.into_iter().for_each(|edge| graph.add_edge(edge));
    Ok(EdgeRanks { rules, host })
}

/// The edges that were found.
#[derive(Default)]
struct FoundEdges {
    edges: Vec<Edge>,
    /// Edges that depend on what is installed on the host.
    by_host: Vec<Edge>,
}

/// What the rules of a kind know about one resource.
#[derive(Debug)]
pub struct AutoEdgeInput<'a> {
    /// The parameters.
    pub params: Params<'a>,
    /// Whether the resource is to be removed.
    pub is_removed: bool,
    /// The files of the package that the resource installs; empty unless the kind asks for them.
    pub package_files: &'a [String],
    /// The primary group that the user has on the host, if it is to be removed and the kind asks for it.
    pub primary_group: Option<&'a str>,
    /// The home directory.
    pub home: Option<&'a str>,
}

/// The resources that take part, and what their rules want to know about the host.
struct Participants<'a> {
    resources: Vec<(VertexId, Params<'a>)>,
    /// The resources that are to be removed.
    removed: FxHashSet<VertexId>,
    package_files: FxHashMap<VertexId, Vec<String>>,
    primary_groups: FxHashMap<VertexId, String>,
    home: Option<&'a str>,
}

impl<'a> Participants<'a> {
    fn of(graph: &'a ResourceGraph, host: &'a AutoEdgeHost<'_>) -> Participants<'a> {
        let resources: Vec<(VertexId, Params<'_>)> =
            graph.resources().filter_map(|(vertex, resource)| Some((vertex, participant(resource)?))).collect();
        let removed: FxHashSet<VertexId> = resources
            .iter()
            .filter(|(_, params)| (params.kind().autoedges.is_removed)(params))
            .map(|(vertex, _)| *vertex)
            .collect();
        let wanting = |fact: HostFact| resources.iter().filter(move |(_, params)| params.kind().autoedges.host == fact);
        let mut package_files = FxHashMap::default();
        for (vertex, _) in wanting(HostFact::PackageFiles) {
            let files = host.package_files.map_or_else(Vec::new, |files| files(graph.resource(*vertex)));
            package_files.insert(*vertex, files);
        }
        let mut primary_groups = FxHashMap::default();
        if let Some(groups_of) = host.primary_groups.filter(|_| !removed.is_empty()) {
            let (users, names): (Vec<VertexId>, Vec<&str>) = wanting(HostFact::PrimaryGroup)
                .filter(|(vertex, _)| removed.contains(vertex))
                .map(|(vertex, params)| (*vertex, params.name()))
                .unzip();
            if !users.is_empty() {
                let groups = users.into_iter().zip(groups_of(&names));
                primary_groups.extend(groups.filter_map(|(user, group)| Some((user, group?))));
            }
        }
        Participants { resources, removed, package_files, primary_groups, home: host.home.as_deref() }
    }

    /// Returns the participants with what their rules know about them.
    fn inputs(&self) -> impl Iterator<Item = (VertexId, AutoEdgeInput<'_>)> {
        self.resources.iter().map(|(vertex, params)| {
            let fact = params.kind().autoedges.host;
            let files = (fact == HostFact::PackageFiles).then(|| self.package_files.get(vertex)).flatten();
            let package_files = files.map_or(&[][..], Vec::as_slice);
            let group = (fact == HostFact::PrimaryGroup).then(|| self.primary_groups.get(vertex)).flatten();
            let primary_group = group.map(String::as_str);
            let is_removed = self.removed.contains(vertex);
            (*vertex, AutoEdgeInput { params: *params, is_removed, package_files, primary_group, home: self.home })
        })
    }
}

fn find_edges(graph: &ResourceGraph, host: &AutoEdgeHost<'_>) -> Result<FoundEdges, Vec<AutoEdgeError>> {
    let participants = Participants::of(graph, host);
    let mut errors = Vec::new();
    let error = |vertex: VertexId, kind| AutoEdgeError { id: graph.resource(vertex).id.clone(), vertex, kind };
    let mut offers = Offers::new(graph);
    for (vertex, input) in participants.inputs() {
        offers.vertex = vertex;
        if let Err(kind) = (input.params.kind().autoedges.offers)(&input, &mut offers) {
            errors.push(error(vertex, kind));
        }
    }
    let mut finder = EdgeFinder {
        offers: &offers,
        removed: &participants.removed,
        packages: &participants.package_files,
        vertex: VertexId(0),
        found: FoundEdges::default(),
        steps: None,
    };
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
    /// Where to note what is offered instead of adding it.
    steps: Option<Vec<Step>>,
}

/// What one resource does in the search for automatic edges, in the order in which its kind does it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Whether it is to be removed.
    Removed(bool),
    Offer(&'static str, String),
    Join(&'static str),
    Ask(Relation, &'static str, String),
    AskGroup(&'static str),
}

/// The edge that a resource wants to have with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Needs,
    NeededBy,
    Before,
    BeforeRemovedOnHost,
}

impl<'a> Offers<'a> {
    fn new(graph: &'a ResourceGraph) -> Offers<'a> {
        Offers { graph, vertex: VertexId(0), namespaces: Vec::new(), groups: FxHashMap::default(), steps: None }
    }

    /// Adds an identity of the resource.
    pub fn add(&mut self, identity: Identity<'a>) {
        let Identity { namespace, key } = identity;
        if let Some(steps) = &mut self.steps {
            return steps.push(Step::Offer(namespace, key.into_owned()));
        }
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
        if let Some(steps) = &mut self.steps {
            return steps.push(Step::Join(group));
        }
        self.groups.entry(group).or_default().push(self.vertex);
    }
}

/// Finds the edges of one resource. The answers to the questions may only be used to leave out later questions.
pub struct EdgeFinder<'a> {
    offers: &'a Offers<'a>,
    /// The resources that are to be removed.
    removed: &'a FxHashSet<VertexId>,
    /// The packages, whose edges depend on the host.
    packages: &'a FxHashMap<VertexId, Vec<String>>,
    /// The resource whose edges are being searched.
    vertex: VertexId,
    found: FoundEdges,
    /// Where to note the questions instead of finding edges, and what to answer.
    steps: Option<(Vec<Step>, Answer<'a>)>,
}

/// Answers whether another resource offers an identity.
type Answer<'a> = &'a dyn Fn(&Identity<'_>) -> bool;

impl EdgeFinder<'_> {
    /// Notes a question if no edges are to be found, and returns the answer.
    fn note(&mut self, relation: Relation, identity: &Identity<'_>) -> Option<bool> {
        let (steps, answer) = self.steps.as_mut()?;
        steps.push(Step::Ask(relation, identity.namespace, identity.key.clone().into_owned()));
        Some(answer(identity))
    }

    /// The resource needs the one that offers an identity: it comes after it, or before it if both are to be removed.
    /// Returns whether there is one.
    pub fn needs(&mut self, identity: &Identity<'_>) -> bool {
        if let Some(answer) = self.note(Relation::Needs, identity) {
            return answer;
        }
        let provider = self.candidate(identity);
        provider.map(|provider| self.add_need(self.vertex, provider)).is_some()
    }

    /// The resource that offers an identity needs this one. Returns whether there is one.
    pub(crate) fn needed_by(&mut self, identity: &Identity<'_>) -> bool {
        if let Some(answer) = self.note(Relation::NeededBy, identity) {
            return answer;
        }
        let user = self.candidate(identity);
        user.map(|user| self.add_need(user, self.vertex)).is_some()
    }

    /// The resource needs every member of a group.
    pub(crate) fn needs_all(&mut self, group: &'static str) {
        if let Some((steps, _)) = &mut self.steps {
            return steps.push(Step::AskGroup(group));
        }
        for member in self.offers.groups.get(group).into_iter().flatten() {
            if *member != self.vertex {
                self.add_need(self.vertex, *member);
            }
        }
    }

    /// Orders the resource before the one that offers an identity, whether they are to be removed or not. Returns whether
    /// there is one.
    pub fn before(&mut self, identity: &Identity<'_>) -> bool {
        if let Some(answer) = self.note(Relation::Before, identity) {
            return answer;
        }
        let candidate = self.candidate(identity);
        candidate.map(|candidate| self.add(self.vertex, candidate)).is_some()
    }

    /// Orders the resource before the one that offers an identity, if that one is to be removed. The edge depends on the
    /// host.
    pub(crate) fn before_removed_on_host(&mut self, identity: &Identity<'_>) {
        if self.note(Relation::BeforeRemovedOnHost, identity).is_some() {
            return;
        }
        if let Some(to) = self.candidate(identity).filter(|candidate| self.removed.contains(candidate)) {
            self.found.by_host.push(Edge { from: self.vertex, to, notify: false, autoedge: true });
        }
    }

    fn candidate(&self, identity: &Identity<'_>) -> Option<VertexId> {
        let (_, identities) = self.offers.namespaces.iter().find(|(name, _)| *name == identity.namespace)?;
        let candidates = identities.get(&*identity.key)?;
        if candidates.first == self.vertex { candidates.second } else { Some(candidates.first) }
    }

    fn add_need(&mut self, user: VertexId, provider: VertexId) {
        if self.removed.contains(&user) && self.removed.contains(&provider) {
            self.add(user, provider);
        } else {
            self.add(provider, user);
        }
    }

    fn add(&mut self, from: VertexId, to: VertexId) {
        let by_host = self.packages.contains_key(&from) || self.packages.contains_key(&to);
        let edges = if by_host { &mut self.found.by_host } else { &mut self.found.edges };
        edges.push(Edge { from, to, notify: false, autoedge: true });
    }
}

/// Returns whether two resources with one id have the same automatic edges in every graph with the others as they are. Says
/// no where that depends on what is installed on the host.
pub(crate) fn has_same_autoedges(a: &Resource, b: &Resource, home: Option<&str>) -> bool {
    match (participant(a), participant(b)) {
        (None, None) => true,
        (Some(_), Some(_)) => {
            let is_same = |answer: bool| {
                let before = steps_without_host(a, home, &|_| answer);
                before.is_some() && before == steps_without_host(b, home, &|_| answer)
            };
            (a.id == b.id && a.params == b.params) || (is_same(false) && is_same(true))
        }
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Returns the parameters of a resource that may have automatic edges.
fn participant(resource: &Resource) -> Option<Params<'_>> {
    Params::of(resource).filter(|params| resource.meta.autoedge && params.kind().traits.autoedge)
}

/// Whether the automatic edges of a participant depend on what is installed on the host.
fn depends_on_host(params: &Params<'_>, is_removed: bool) -> bool {
    match params.kind().autoedges.host {
        HostFact::Nothing => false,
        HostFact::PackageFiles => true,
        HostFact::PrimaryGroup => is_removed,
    }
}

/// Returns what a participant does in the search, given the answers to its questions; `None` if that depends on the host, or if
/// its edges cannot be determined.
fn steps_without_host(resource: &Resource, home: Option<&str>, answer: Answer<'_>) -> Option<Vec<Step>> {
    let params = Params::of(resource)?;
    let is_removed = (params.kind().autoedges.is_removed)(&params);
    if depends_on_host(&params, is_removed) {
        return None;
    }
    steps(&AutoEdgeInput { params, is_removed, package_files: &[], primary_group: None, home }, answer).ok()
}

/// Returns what a participant does in the search, given the answers to its questions.
fn steps(input: &AutoEdgeInput<'_>, answer: Answer<'_>) -> Result<Vec<Step>, AutoEdgeErrorKind> {
    let rules = &input.params.kind().autoedges;
    let (graph, removed, packages) = (ResourceGraph::new(), FxHashSet::default(), FxHashMap::default());
    let mut offers = Offers { steps: Some(vec![Step::Removed(input.is_removed)]), ..Offers::new(&graph) };
    (rules.offers)(input, &mut offers)?;
    let steps = offers.steps.take().map(|steps| (steps, answer));
    let mut finder = EdgeFinder {
        offers: &offers,
        removed: &removed,
        packages: &packages,
        vertex: VertexId(0),
        found: FoundEdges::default(),
        steps,
    };
    (rules.wants)(input, &mut finder)?;
    Ok(finder.steps.map_or_else(Vec::new, |(steps, _)| steps))
}

#[cfg(test)]
mod tests;
