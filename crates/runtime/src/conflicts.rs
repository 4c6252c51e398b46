//! Resources that contradict each other: they would undo each other's changes for ever.
//!
//! Of a whole graph all claims are compared. When single resources change afterwards, only objects matter that several
//! resources claim something of: [`SharedClaims`] holds the claims on these.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::{Claim, Params, Resource, ResourceGraph, VertexId, normalized_path};
use resources::expand_home;
use rustc_hash::{FxHashMap, FxHashSet};

/// The object, the aspect and the part that a claim is about.
type Subject = (String, &'static str, String);

/// The claims on the objects that several resources claim something of. None contradicts another one.
#[derive(Debug, Default)]
pub(crate) struct SharedClaims {
    objects: FxHashSet<String>,
    /// One claim for each subject, because all are alike, and their number.
    claims: FxHashMap<Subject, (Claim<'static>, u32)>,
}

/// Compares the claims of all resources. Resources that change nothing are left out.
///
/// # Errors
/// R0304 for each resource that contradicts one before it.
pub(crate) fn conflicts(graph: &ResourceGraph) -> Result<SharedClaims, Vec<Diagnostic>> {
    let mut homes = Homes::default();
    let mut shared = SharedClaims { objects: shared_objects(graph, &mut homes), claims: FxHashMap::default() };
    if shared.objects.is_empty() {
        return Ok(shared);
    }
    // Parts do not contradict each other, so one of them stands for all; the same holds for equal demands.
    let mut first: FxHashMap<Subject, (VertexId, Claim<'_>)> = FxHashMap::default();
    let mut diagnostics = Vec::new();
    for (vertex, resource) in graph.resources() {
        let claims = claims_of(resource, &mut homes).into_iter();
        for claim in claims.filter(|claim| shared.objects.contains(&*claim.object)) {
            let (other, claimed) = first.entry(subject(&claim)).or_insert_with(|| (vertex, claim.clone()));
            if claimed.contradicts(&claim) {
                diagnostics.push(conflict(graph, *other, vertex, &claim));
                break;
            }
        }
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    for (_, resource) in graph.resources() {
        shared.add(claims_of(resource, &mut homes));
    }
    Ok(shared)
}

/// Returns the objects that several resources claim something of. They are few: most resources are alone with what they
/// manage, so only the claims on these objects are compared.
fn shared_objects(graph: &ResourceGraph, homes: &mut Homes) -> FxHashSet<String> {
    let mut owners: FxHashMap<Cow<'_, str>, VertexId> = FxHashMap::default();
    let mut shared = FxHashSet::default();
    for (vertex, resource) in graph.resources() {
        for claim in claims_of(resource, homes) {
            match owners.entry(claim.object) {
                Entry::Vacant(vacant) => drop(vacant.insert(vertex)),
                Entry::Occupied(owner) if *owner.get() != vertex => drop(shared.insert(owner.key().to_string())),
                Entry::Occupied(_) => {}
            }
        }
    }
    shared
}

impl SharedClaims {
    /// Replaces the claims of resources, given as they were and as they are. Returns whether it is certain that the whole graph
    /// has no contradiction then; the claims must not be used again otherwise.
    pub(crate) fn replace<'r>(&mut self, changes: impl Iterator<Item = (&'r Resource, &'r Resource)>) -> bool {
        let mut homes = Homes::default();
        let mut added = Vec::new();
        for (old, new) in changes {
            let (old, new) = (claims_of(old, &mut homes), claims_of(new, &mut homes));
            if old == new {
                continue;
            }
            let objects =
                |claims: &[Claim<'_>]| claims.iter().map(|claim| claim.object.to_string()).collect::<FxHashSet<_>>();
            // Who else claims a new object is not known.
            if objects(&old) != objects(&new) {
                return false;
            }
            self.remove(old);
            added.push(new);
        }
        added.into_iter().all(|claims| self.add(claims))
    }

    fn remove(&mut self, claims: Vec<Claim<'_>>) {
        for claim in claims {
            let subject = subject(&claim);
            let Some((_, count)) = self.claims.get_mut(&subject) else { continue };
            *count -= 1;
            if *count == 0 {
                self.claims.remove(&subject);
            }
        }
    }

    /// Adds claims; returns whether none contradicts an earlier one.
    fn add(&mut self, claims: Vec<Claim<'_>>) -> bool {
        for claim in claims.into_iter().filter(|claim| self.objects.contains(&*claim.object)) {
            let (known, count) = self.claims.entry(subject(&claim)).or_insert_with(|| (claim.clone().into_owned(), 0));
            if known.contradicts(&claim) {
                return false;
            }
            *count += 1;
        }
        true
    }
}

fn subject(claim: &Claim<'_>) -> Subject {
    (claim.object.to_string(), claim.aspect, claim.demand.part().to_owned())
}

/// Returns the claims of a resource; none if it changes nothing.
fn claims_of<'r>(resource: &'r Resource, homes: &mut Homes) -> Vec<Claim<'r>> {
    let params = Params::of(resource).filter(|_| !resource.meta.noop && !resource.meta.hidden);
    let mut claims = params.map_or_else(Vec::new, |params| (params.kind().claims)(&params));
    for claim in &mut claims {
        claim.object = homes.expand(std::mem::take(&mut claim.object));
    }
    claims
}

/// Home directories that were looked up, by what stands for them, such as `~root`.
#[derive(Default)]
struct Homes(FxHashMap<String, Option<String>>);

impl Homes {
    /// Replaces a leading `~` or `~USER` by the home directory, if it is known.
    fn expand<'a>(&mut self, object: Cow<'a, str>) -> Cow<'a, str> {
        let Some((short, below)) = object.split_once('/').filter(|(short, _)| short.starts_with('~')) else {
            return object;
        };
        let home = self.0.entry(short.to_owned()).or_insert_with(|| {
            let home = expand_home(&format!("{short}/")).ok()?;
            home.into_os_string().into_string().ok()
        });
        match home {
            Some(home) => normalized_path(format!("{home}/{below}")),
            None => object,
        }
    }
}

fn conflict(graph: &ResourceGraph, first: VertexId, second: VertexId, claim: &Claim<'_>) -> Diagnostic {
    let (first, second) = (graph.resource(first), graph.resource(second));
    let Claim { object, aspect, .. } = claim;
    let message = format!("{} and {} contradict each other about the {aspect} of {object}", first.id, second.id);
    let diagnostic = Diagnostic::error(Code::R0304, Stage::Autoedge, message)
        .maybe_at(second.span)
        .help("declare it in one resource; each of these would undo what the other does");
    match first.span {
        Some(span) => diagnostic.label(span, "the first declaration"),
        None => diagnostic,
    }
}

#[cfg(test)]
mod tests {
    use resource_graph::{Resource, ResourceId};

    use super::*;

    fn messages(resources: Vec<Resource>) -> Vec<String> {
        let mut graph = ResourceGraph::new();
        for resource in resources {
            graph.add(resource);
        }
        let errors = conflicts(&graph).err().unwrap_or_default();
        errors.into_iter().map(|diagnostic| diagnostic.message).collect()
    }

    fn file(name: &str, content: &str) -> Resource {
        Resource::new(ResourceId::new("file", name)).with("content", content)
    }

    fn line(name: &str) -> Resource {
        Resource::new(ResourceId::new("line", name)).with("file", "/a/x").with("state", "exists").with("content", name)
    }

    #[test]
    fn contradiction_names_both_resources_and_no_content() {
        let found = messages(vec![file("/a/x", "secret"), file("/a//x", "other")]);
        assert_eq!(found, ["file[/a/x] and file[/a//x] contradict each other about the content of /a/x"]);
    }

    #[test]
    fn each_editor_of_a_managed_file_is_reported() {
        let found = messages(vec![line("1"), line("2"), file("/a/x", "whole")]);
        assert_eq!(found, ["line[1] and file[/a/x] contradict each other about the content of /a/x"]);
        assert_eq!(messages(vec![file("/a/x", "whole"), line("1"), line("2")]).len(), 2);
        assert_eq!(messages(vec![line("1"), line("2")]), [""; 0]);
    }

    #[test]
    fn home_directories_are_paths_like_others() {
        let mut below = line("1");
        below = below.with("file", "~root/x");
        let home = expand_home("~root/x").expect("root has a home");
        let home = home.to_str().expect("a path");
        assert_eq!(messages(vec![file(home, "whole"), below]).len(), 1);
    }

    #[test]
    fn contradicting_lines_are_found_among_others() {
        let absent = line("2").with("state", "absent").with("content", "3");
        let found = messages(vec![line("1"), line("3"), absent, line("4")]);
        assert_eq!(found, ["line[3] and line[2] contradict each other about the line of /a/x"]);
    }

    fn shared(resources: &[&Resource]) -> SharedClaims {
        let mut graph = ResourceGraph::new();
        for resource in resources {
            graph.add((*resource).clone());
        }
        conflicts(&graph).expect("no contradiction")
    }

    #[test]
    fn changed_claims_are_compared_with_those_of_others() {
        let (a, b, other) = (line("1"), line("2"), file("/b/x", "1"));
        let mut claims = shared(&[&a, &b, &other]);
        assert!(claims.replace([(&other, &file("/b/x", "2"))].into_iter()), "nobody else claims it");
        let changed = line("1").with("content", "3");
        assert!(claims.replace([(&a, &changed)].into_iter()));
        let opposite = line("2").with("content", "3").with("state", "absent");
        assert!(!claims.replace([(&b, &opposite)].into_iter()), "the other one wants this line");
        let mut claims = shared(&[&a, &b, &other]);
        assert!(claims.replace([(&b, &opposite)].into_iter()), "nobody wants this line");
    }

    #[test]
    fn equal_demands_may_change_together_only() {
        let (a, b) = (file("/a/x", "1"), file("/a//x", "1"));
        let (new_a, new_b) = (file("/a/x", "2"), file("/a//x", "2"));
        assert!(!shared(&[&a, &b]).replace([(&a, &new_a)].into_iter()));
        assert!(shared(&[&a, &b]).replace([(&a, &new_a), (&b, &new_b)].into_iter()));
    }

    #[test]
    fn claim_on_another_object_is_not_decided_without_the_graph() {
        let a = file("/a/x", "1");
        assert!(!shared(&[&a]).replace([(&a, &file("/a/x", "1").with("path", "/a/y"))].into_iter()));
    }

    #[test]
    fn resource_that_changes_nothing_contradicts_nothing() {
        let mut quiet = file("/a//x", "other");
        quiet.meta.noop = true;
        assert_eq!(messages(vec![file("/a/x", "one"), quiet]), [""; 0]);
    }
}
