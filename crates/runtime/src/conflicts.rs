//! Resources that contradict each other: they would undo each other's changes forever.
//!
//! Of a whole graph all claims are compared. When single resources change afterwards, only objects matter that several
//! resources claim something of: [`SharedClaims`] holds the claims on these. If resources may come and go, it also knows who
//! claims all other objects.

mod removed_trees;

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use mcl_diagnostics::{Code, Diagnostic, Stage};
use resource_graph::{Claim, Demand, Params, Resource, ResourceGraph, ResourceId, VertexId, normalized_path};
use resources::{expand_home, group_number, user_number};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::conflicts::removed_trees::{find_above, must_exist, removed_tree, removes_tree};

/// The object, the aspect and the part that a claim is about.
type Subject = (String, &'static str, String);

/// The claims on the objects that several resources claim something of. None contradicts another one.
#[derive(Debug, Default)]
pub(crate) struct SharedClaims {
    objects: FxHashSet<String>,
    /// One claim for each subject, because all are alike, and their number.
    claims: FxHashMap<Subject, (Claim<'static>, u32)>,
    /// The owners of all objects; `None` if it is not known who claims objects that are not shared.
    owners: Option<FxHashMap<Box<str>, Owners>>,
    /// The directories that resources remove with all that is below them.
    removed_trees: FxHashSet<String>,
}

/// The resources that claim something of an object.
#[derive(Debug)]
struct Owners {
    /// The first of them, as long as it is the only one.
    first: ResourceId,
    count: u32,
}

/// The claims of a resource that are added or taken back.
#[derive(Debug, Default)]
pub(crate) struct ClaimChanges<'r> {
    /// Resources as they were.
    pub(crate) old: Vec<&'r Resource>,
    /// Resources as they are.
    pub(crate) new: Vec<&'r Resource>,
}

/// Compares the claims of all resources. Resources that change nothing are left out.
///
/// # Errors
/// R0304 for each resource that contradicts one before it.
pub(crate) fn conflicts(graph: &ResourceGraph) -> Result<SharedClaims, Vec<Diagnostic>> {
    let mut names = Names::default();
    let mut shared = SharedClaims {
        objects: shared_objects(graph, &mut names),
        removed_trees: trees_without_files(graph, &mut names)?,
        ..SharedClaims::default()
    };
    if shared.objects.is_empty() {
        return Ok(shared);
    }
    // Parts do not contradict each other, so one of them stands for all; the same holds for equal demands.
    let mut first: FxHashMap<Subject, (VertexId, Claim<'_>)> = FxHashMap::default();
    let mut diagnostics = Vec::new();
    for (vertex, resource) in graph.resources() {
        let claims = claims_of(resource, &mut names).into_iter();
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
        add(&shared.objects, &mut shared.claims, claims_of(resource, &mut names));
    }
    Ok(shared)
}

/// Returns the directories that resources remove with all that is below them.
///
/// # Errors
/// R0304 for each resource that wants something to exist there.
fn trees_without_files(graph: &ResourceGraph, names: &mut Names) -> Result<FxHashSet<String>, Vec<Diagnostic>> {
    let mut trees: FxHashMap<String, VertexId> = FxHashMap::default();
    for (vertex, resource) in graph.resources() {
        // Few resources remove a tree; only their claims are looked at.
        if removes_tree(resource)
            && let Some(tree) = removed_tree(resource, &claims_of(resource, names))
        {
            trees.entry(tree).or_insert(vertex);
        }
    }
    if trees.is_empty() {
        return Ok(FxHashSet::default());
    }
    let mut diagnostics = Vec::new();
    for (vertex, resource) in graph.resources() {
        let claims = claims_of(resource, names);
        let mut existing = claims.iter().filter(|claim| must_exist(claim));
        if let Some((claim, tree)) =
            existing.find_map(|claim| Some((claim, find_above(&claim.object, |p| trees.get(p).copied())?)))
        {
            diagnostics.push(file_in_removed_tree(graph, tree, vertex, &claim.object));
        }
    }
    if diagnostics.is_empty() { Ok(trees.into_keys().collect()) } else { Err(diagnostics) }
}

/// Returns the objects that several resources claim something of. They are few: most resources are alone with what they
/// manage, so only the claims on these objects are compared.
fn shared_objects(graph: &ResourceGraph, names: &mut Names) -> FxHashSet<String> {
    let mut owners: FxHashMap<Cow<'_, str>, VertexId> = FxHashMap::default();
    let mut shared = FxHashSet::default();
    for (vertex, resource) in graph.resources() {
        for claim in claims_of(resource, names) {
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
    /// Notes who claims something of each object, so that resources can come and go.
    pub(crate) fn follow(&mut self, graph: &ResourceGraph) {
        let mut names = Names::default();
        let mut owners = FxHashMap::default();
        for (_, resource) in graph.resources() {
            for object in objects(&claims_of(resource, &mut names)) {
                own(&mut owners, object, &resource.id);
            }
        }
        self.owners = Some(owners);
    }

    /// Replaces claims. `resource` returns resources as they are. Returns whether it is certain that the whole graph has no
    /// contradiction then; the claims must not be used again otherwise.
    pub(crate) fn replace<'r>(
        &mut self,
        changes: &ClaimChanges<'r>,
        resource: impl Fn(&ResourceId) -> Option<&'r Resource>,
    ) -> bool {
        let mut names = Names::default();
        let mut claims = |resources: &[&'r Resource]| -> Vec<(&'r Resource, Vec<Claim<'r>>)> {
            resources.iter().map(|resource| (*resource, claims_of(resource, &mut names))).collect()
        };
        let (old, new) = (claims(&changes.old), claims(&changes.new));
        if self.touches_removed_tree(&old, &new) {
            return false;
        }
        let all_objects = |claims: &[(&Resource, Vec<Claim<'_>>)]| -> FxHashSet<(ResourceId, String)> {
            let of_one = |(resource, claims): &(&Resource, Vec<Claim<'_>>)| -> Vec<(ResourceId, String)> {
                objects(claims).into_iter().map(|object| (resource.id.clone(), object)).collect()
            };
            claims.iter().flat_map(of_one).collect()
        };
        for (_, claims) in &old {
            self.remove(claims);
        }
        let (before, after) = (all_objects(&old), all_objects(&new));
        if before != after {
            // Who else claims a new object is not known.
            let Some(owners) = &mut self.owners else { return false };
            for (_, object) in before.difference(&after) {
                if disown(owners, object) {
                    self.objects.remove(object);
                }
            }
            for (id, object) in after.difference(&before) {
                let Some(first) = own(owners, object.clone(), id) else { continue };
                if self.objects.contains(object) {
                    continue;
                }
                // It is not the only one any more. Its claims are new if it changes, too.
                self.objects.insert(object.clone());
                let is_new = new.iter().any(|(resource, _)| resource.id == first);
                let claims = resource(&first).filter(|_| !is_new).map(|resource| claims_of(resource, &mut names));
                let claims = claims.into_iter().flatten().filter(|claim| *claim.object == **object).collect();
                if !add(&self.objects, &mut self.claims, claims) {
                    return false;
                }
            }
        }
        new.into_iter().all(|(_, claims)| add(&self.objects, &mut self.claims, claims))
    }

    /// Whether a removed tree comes or goes, or something is wanted in one.
    fn touches_removed_tree(&self, old: &[(&Resource, Vec<Claim<'_>>)], new: &[(&Resource, Vec<Claim<'_>>)]) -> bool {
        let trees = |claims: &[(&Resource, Vec<Claim<'_>>)]| -> FxHashSet<String> {
            claims.iter().filter_map(|(resource, claims)| removed_tree(resource, claims)).collect()
        };
        let known = |path: &str| self.removed_trees.contains(path).then_some(());
        let in_known = |claim: &Claim<'_>| must_exist(claim) && find_above(&claim.object, known).is_some();
        trees(old) != trees(new)
            || !self.removed_trees.is_empty() && new.iter().flat_map(|(_, claims)| claims).any(in_known)
    }

    fn remove(&mut self, claims: &[Claim<'_>]) {
        for claim in claims {
            let subject = subject(claim);
            let Some((_, count)) = self.claims.get_mut(&subject) else { continue };
            *count -= 1;
            if *count == 0 {
                self.claims.remove(&subject);
            }
        }
    }
}

/// Adds claims on shared objects; returns whether none contradicts an earlier one.
fn add(
    shared: &FxHashSet<String>,
    known: &mut FxHashMap<Subject, (Claim<'static>, u32)>,
    claims: Vec<Claim<'_>>,
) -> bool {
    for claim in claims.into_iter().filter(|claim| shared.contains(&*claim.object)) {
        let (known, count) = known.entry(subject(&claim)).or_insert_with(|| (claim.clone().into_owned(), 0));
        if known.contradicts(&claim) {
            return false;
        }
        *count += 1;
    }
    true
}

/// Returns the objects of claims, each once.
fn objects(claims: &[Claim<'_>]) -> FxHashSet<String> {
    claims.iter().map(|claim| claim.object.to_string()).collect()
}

/// Notes that a resource claims something of an object. Returns the first one that does, if there are others.
fn own(owners: &mut FxHashMap<Box<str>, Owners>, object: String, id: &ResourceId) -> Option<ResourceId> {
    match owners.entry(object.into_boxed_str()) {
        Entry::Vacant(vacant) => {
            vacant.insert(Owners { first: id.clone(), count: 1 });
            None
        }
        Entry::Occupied(mut occupied) => {
            let owners = occupied.get_mut();
            owners.count += 1;
            Some(owners.first.clone())
        }
    }
}

/// Notes that a resource claims nothing of an object any more. Returns whether no other one does.
fn disown(owners: &mut FxHashMap<Box<str>, Owners>, object: &str) -> bool {
    let Some(known) = owners.get_mut(object) else { return true };
    known.count -= 1;
    let is_last = known.count == 0;
    if is_last {
        owners.remove(object);
    }
    is_last
}

fn subject(claim: &Claim<'_>) -> Subject {
    (claim.object.to_string(), claim.aspect, claim.demand.part().to_owned())
}

/// Returns the claims of a resource; none if it changes nothing.
fn claims_of<'r>(resource: &'r Resource, names: &mut Names) -> Vec<Claim<'r>> {
    let params = Params::of(resource).filter(|_| !resource.meta.noop && !resource.meta.hidden);
    let mut claims = params.map_or_else(Vec::new, |params| (params.kind().claims)(&params));
    for claim in &mut claims {
        claim.object = names.expand(std::mem::take(&mut claim.object));
        names.number(claim);
    }
    claims
}

/// Names that were looked up on this machine.
#[derive(Default)]
struct Names {
    /// Home directories, by what stands for them, such as `~root`.
    homes: FxHashMap<String, Option<String>>,
    /// The numbers of accounts, by the aspect that they are claimed for, and their names.
    numbers: FxHashMap<(&'static str, String), Option<u32>>,
}

impl Names {
    /// Replaces a leading `~` or `~USER` by the home directory, if it is known.
    fn expand<'a>(&mut self, object: Cow<'a, str>) -> Cow<'a, str> {
        let Some((short, below)) = object.split_once('/').filter(|(short, _)| short.starts_with('~')) else {
            return object;
        };
        let home = self.homes.entry(short.to_owned()).or_insert_with(|| {
            let home = expand_home(&format!("{short}/")).ok()?;
            home.into_os_string().into_string().ok()
        });
        match home {
            Some(home) => normalized_path(format!("{home}/{below}")),
            None => object,
        }
    }

    /// Replaces the name of an owner or a group by its number, if it has one: both may be declared.
    fn number(&mut self, claim: &mut Claim<'_>) {
        let (aspect, look_up): (_, fn(&str) -> Option<u32>) = match claim.aspect {
            "owner" => ("owner id", user_number),
            "group" => ("group id", group_number),
            _ => return,
        };
        let Demand::Whole { state, .. } = &claim.demand else { return };
        let number = self.numbers.entry((aspect, state.to_string())).or_insert_with(|| look_up(state));
        if let Some(number) = number {
            (claim.aspect, claim.demand) = (aspect, Demand::whole(number.to_string()));
        }
    }
}

fn file_in_removed_tree(graph: &ResourceGraph, tree: VertexId, file: VertexId, path: &str) -> Diagnostic {
    let (tree, file) = (graph.resource(tree), graph.resource(file));
    let message = format!("{} must exist, but {} removes everything there", file.id, tree.id);
    let diagnostic = Diagnostic::error(Code::R0304, Stage::Autoedge, message)
        .maybe_at(file.span)
        .help(format!("each would undo what the other does: omit one of them, or keep the directory of {path}"));
    match tree.span {
        Some(span) => diagnostic.label(span, "the directory is removed here"),
        None => diagnostic,
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
    fn names_and_numbers_of_owners_are_compared() {
        let owned = |path: &str, owner: &str| file(path, "x").with("owner", owner).with("group", owner);
        assert_eq!(messages(vec![owned("/a/x", "root"), owned("/a//x", "0")]), [""; 0]);
        let found = messages(vec![owned("/a/x", "root"), owned("/a//x", "1")]);
        assert_eq!(found, ["file[/a/x] and file[/a//x] contradict each other about the owner id of /a/x"]);
        assert_eq!(messages(vec![owned("/a/x", "no-such"), owned("/a//x", "1")]), [""; 0]);
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

    fn replace<'r>(claims: &mut SharedClaims, changes: &[(&'r Resource, &'r Resource)]) -> bool {
        let (old, new) = changes.iter().copied().unzip();
        claims.replace(&ClaimChanges { old, new }, |_| None)
    }

    #[test]
    fn changed_claims_are_compared_with_those_of_others() {
        let (a, b, other) = (line("1"), line("2"), file("/b/x", "1"));
        let mut claims = shared(&[&a, &b, &other]);
        assert!(replace(&mut claims, &[(&other, &file("/b/x", "2"))]), "nobody else claims it");
        let changed = line("1").with("content", "3");
        assert!(replace(&mut claims, &[(&a, &changed)]));
        let opposite = line("2").with("content", "3").with("state", "absent");
        assert!(!replace(&mut claims, &[(&b, &opposite)]), "the other one wants this line");
        let mut claims = shared(&[&a, &b, &other]);
        assert!(replace(&mut claims, &[(&b, &opposite)]), "nobody wants this line");
    }

    #[test]
    fn equal_demands_may_change_together_only() {
        let (a, b) = (file("/a/x", "1"), file("/a//x", "1"));
        let (new_a, new_b) = (file("/a/x", "2"), file("/a//x", "2"));
        assert!(!replace(&mut shared(&[&a, &b]), &[(&a, &new_a)]));
        assert!(replace(&mut shared(&[&a, &b]), &[(&a, &new_a), (&b, &new_b)]));
    }

    #[test]
    fn claim_on_another_object_is_not_decided_without_the_graph() {
        let a = file("/a/x", "1");
        assert!(!replace(&mut shared(&[&a]), &[(&a, &file("/a/x", "1").with("path", "/a/y"))]));
    }

    #[test]
    fn claims_of_resources_that_come_and_go_are_compared() {
        let (a, b, opposite) = (line("1"), line("2"), line("3").with("content", "1").with("state", "absent"));
        let mut graph = ResourceGraph::new();
        graph.add(a.clone());
        let mut claims = conflicts(&graph).expect("no contradiction");
        claims.follow(&graph);
        let mut change = |old: Vec<&Resource>, new: Vec<&Resource>| {
            let known = [&a, &b, &opposite];
            claims.replace(&ClaimChanges { old, new }, |id| known.into_iter().find(|resource| resource.id == *id))
        };
        assert!(change(vec![], vec![&b]), "another line");
        assert!(change(vec![&b], vec![]));
        assert!(change(vec![&a], vec![&opposite]), "it takes the place");
        assert!(change(vec![], vec![&b]));
        assert!(!change(vec![], vec![&a]), "the line must not exist");
    }

    fn removed(name: &str) -> Resource {
        Resource::new(ResourceId::new("file", name)).with("state", "absent").with("recurse", true)
    }

    #[test]
    fn nothing_exists_in_a_tree_that_is_removed() {
        let found = messages(vec![file("/a/b/c", "x"), removed("/a/"), file("/ab/c", "x")]);
        assert_eq!(found, ["file[/a/b/c] must exist, but file[/a/] removes everything there"]);
        assert_eq!(messages(vec![file("/a//b/../b/c", "x"), removed("/a/b")]).len(), 1, "paths are normalized");
        let flat = removed("/a/").with("recurse", false);
        assert_eq!(messages(vec![file("/a/b/c", "x"), flat]), [""; 0], "it only removes an empty directory");
        let absent = Resource::new(ResourceId::new("file", "/a/b/c")).with("state", "absent");
        assert_eq!(messages(vec![absent, removed("/a/")]), [""; 0], "both are removed");
        let mut quiet = removed("/a/");
        quiet.meta.noop = true;
        assert_eq!(messages(vec![file("/a/b/c", "x"), quiet]), [""; 0], "it removes nothing");
    }

    #[test]
    fn removed_trees_that_come_and_files_in_them_need_the_whole_graph() {
        let (a, b) = (file("/a/x", "1"), file("/b/x", "1"));
        let tree = removed("/c/");
        let mut claims = shared(&[&a, &b, &tree]);
        assert!(replace(&mut claims, &[(&a, &file("/a/x", "2"))]));
        let undefined = Resource::new(ResourceId::new("file", "/c/x")).with("state", "");
        let mut claims = shared(&[&undefined, &tree]);
        assert!(!replace(&mut claims, &[(&undefined, &file("/c/x", "1"))]), "it is to exist there now");
        let flat = removed("/a/").with("recurse", false);
        let mut claims = shared(&[&a, &flat]);
        assert!(!replace(&mut claims, &[(&flat, &removed("/a/"))]), "the tree is removed now");
    }

    #[test]
    fn resource_that_changes_nothing_contradicts_nothing() {
        let mut quiet = file("/a//x", "other");
        quiet.meta.noop = true;
        assert_eq!(messages(vec![file("/a/x", "one"), quiet]), [""; 0]);
    }
}
