//! The automatic edges of a graph whose resources change one by one.
//!
//! The index knows who offers each identity and who asked for it. The questions of a resource depend only on the answers to the
//! earlier ones, so its edges change only when the offers of an identity change that it asked for. Then its rules run again,
//! and nobody else's. What depends on the host is not asked for again.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, BuildHasherDefault};

use hashbrown::HashTable;
use rustc_hash::{FxHashSet, FxHasher};
use smallvec::SmallVec;

use crate::autoedge::{
    Identity, Participants, Relation, Step, depends_on_host, participant, steps, steps_without_host,
};
use crate::{AutoEdgeHost, Resource, ResourceGraph, ResourceId};

/// An automatic edge, as the resource sees it whose rules ask for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OwnEdge {
    /// The other end.
    pub(crate) other: u32,
    /// Whether the edge leads to the other end.
    pub(crate) is_outgoing: bool,
}

/// Who offers an identity, and who asked for it.
#[derive(Debug)]
struct Known {
    namespace: &'static str,
    key: Box<str>,
    offering: SmallVec<[u32; 2]>,
    asking: Vec<u32>,
}

/// What the rules of one resource did.
#[derive(Debug, Default)]
struct Entry {
    is_removed: bool,
    depends_on_host: bool,
    /// Whether it belongs to a group of which others want every member, or wants one.
    has_group: bool,
    offers: SmallVec<[u32; 2]>,
    /// The identities that it asked for, and its index in the list of those who asked.
    asks: SmallVec<[(u32, u32); 3]>,
    /// Its edges, sorted.
    edges: SmallVec<[OwnEdge; 2]>,
}

/// The index. Resources are known by the numbers that the caller gives them.
#[derive(Debug)]
pub(crate) struct AutoEdgeIndex {
    identities: Vec<Known>,
    by_key: HashTable<u32>,
    /// The numbers of identities that nobody offers or asks for any more.
    free: Vec<u32>,
    entries: Vec<Option<Entry>>,
    home: Option<String>,
}

impl AutoEdgeIndex {
    /// Makes the index of a whole graph, in which each vertex has its own number. `None` if automatic edges cannot be determined.
    pub(crate) fn of(graph: &ResourceGraph, host: &AutoEdgeHost<'_>) -> Option<AutoEdgeIndex> {
        let mut index = AutoEdgeIndex {
            identities: Vec::new(),
            by_key: HashTable::new(),
            free: Vec::new(),
            entries: Vec::new(),
            home: host.home.clone(),
        };
        index.entries.resize_with(graph.len(), || None);
        let participants = Participants::of(graph, host);
        for (vertex, input) in participants.inputs() {
            let offered = steps(&input, &|_| true).ok()?;
            let depends_on_host = depends_on_host(&input.params, input.is_removed);
            index.add(vertex.0, Entry { is_removed: input.is_removed, depends_on_host, ..Entry::default() }, &offered);
        }
        let resource = |number: u32| &graph.resource(crate::VertexId(number)).id;
        for (vertex, input) in participants.inputs() {
            let asked = steps(&input, &|identity| index.candidate(vertex.0, identity, resource).is_some()).ok()?;
            index.ask(vertex.0, &asked, resource);
        }
        Some(index)
    }

    /// Returns the edges that the rules of a resource ask for, sorted.
    pub(crate) fn edges(&self, number: u32) -> &[OwnEdge] {
        self.entry(number).map_or(&[], |entry| &entry.edges)
    }

    /// Removes a resource. Returns those whose edges may change by that.
    pub(crate) fn remove(&mut self, number: u32) -> BTreeSet<u32> {
        self.retract_questions(number);
        let Some(entry) = self.entries.get_mut(number as usize).and_then(Option::take) else { return BTreeSet::new() };
        let mut affected = BTreeSet::new();
        for identity in entry.offers {
            let known = &mut self.identities[identity as usize];
            known.offering.retain(|other| *other != number);
            affected.extend(known.asking.iter().copied());
            self.release(identity);
        }
        affected
    }

    /// Adds what a resource offers. Returns those whose edges may change by that; it asks for its own with
    /// [`AutoEdgeIndex::update`]. `None` if its edges depend on the host, or cannot be determined.
    pub(crate) fn insert(&mut self, number: u32, resource: &Resource) -> Option<BTreeSet<u32>> {
        if self.entries.len() <= number as usize {
            self.entries.resize_with(number as usize + 1, || None);
        }
        let Some(params) = participant(resource) else { return Some(BTreeSet::new()) };
        let is_removed = (params.kind().autoedges.is_removed)(&params);
        let steps = steps_without_host(resource, self.home.as_deref(), &|_| true)?;
        self.add(number, Entry { is_removed, ..Entry::default() }, &steps);
        let entry = self.entry(number).filter(|entry| !entry.has_group)?;
        Some(entry.offers.iter().flat_map(|identity| &self.identities[*identity as usize].asking).copied().collect())
    }

    /// Lets the rules of a resource run again. `None` if that depends on the host.
    pub(crate) fn update<'r>(&mut self, number: u32, resource: impl Fn(u32) -> &'r Resource) -> Option<()> {
        let Some(entry) = self.entry(number) else { return Some(()) };
        if entry.depends_on_host || entry.has_group {
            return None;
        }
        let id = |number: u32| &resource(number).id;
        let is_offered = |identity: &Identity<'_>| self.candidate(number, identity, id).is_some();
        let steps = steps_without_host(resource(number), self.home.as_deref(), &is_offered)?;
        self.retract_questions(number);
        self.ask(number, &steps, id);
        Some(())
    }

    /// Returns the number of identities that it has memory for.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.identities.len()
    }

    fn entry(&self, number: u32) -> Option<&Entry> {
        self.entries.get(number as usize)?.as_ref()
    }

    fn entry_mut(&mut self, number: u32) -> Option<&mut Entry> {
        self.entries.get_mut(number as usize)?.as_mut()
    }

    /// Adds a resource with what it offers.
    fn add(&mut self, number: u32, mut entry: Entry, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Offer(namespace, key) => {
                    let identity = self.number_of(namespace, key);
                    let offering = &mut self.identities[identity as usize].offering;
                    if !offering.contains(&number) {
                        offering.push(number);
                        entry.offers.push(identity);
                    }
                }
                Step::Join(_) | Step::AskGroup(_) => entry.has_group = true,
                Step::Removed(_) | Step::Ask(..) => {}
            }
        }
        self.entries[number as usize] = Some(entry);
    }

    /// Notes the questions of a resource, and the edges that follow from them.
    fn ask<'r>(&mut self, number: u32, steps: &[Step], id: impl Fn(u32) -> &'r ResourceId) {
        let mut asks = SmallVec::new();
        let mut seen = FxHashSet::default();
        let mut edges: SmallVec<[OwnEdge; 2]> = SmallVec::new();
        let is_removed = self.entry(number).is_some_and(|entry| entry.is_removed);
        for step in steps {
            let Step::Ask(relation, namespace, key) = step else { continue };
            let identity = self.number_of(namespace, key);
            if seen.insert(identity) {
                let asking = &mut self.identities[identity as usize].asking;
                asks.push((identity, asking.len() as u32));
                asking.push(number);
            }
            let Some(other) = self.candidate_of(number, identity, &id) else { continue };
            let are_both_removed = is_removed && self.entry(other).is_some_and(|entry| entry.is_removed);
            let is_outgoing = match relation {
                Relation::Needs => are_both_removed,
                Relation::NeededBy => !are_both_removed,
                Relation::Before => true,
                Relation::BeforeRemovedOnHost if self.entry(other).is_some_and(|entry| entry.is_removed) => true,
                Relation::BeforeRemovedOnHost => continue,
            };
            edges.push(OwnEdge { other, is_outgoing });
        }
        edges.sort_unstable();
        edges.dedup();
        if let Some(entry) = self.entry_mut(number) {
            (entry.asks, entry.edges) = (asks, edges);
        }
    }

    /// Forgets the questions of a resource, and its edges.
    fn retract_questions(&mut self, number: u32) {
        let Some(entry) = self.entry_mut(number) else { return };
        entry.edges.clear();
        for (identity, position) in std::mem::take(&mut entry.asks) {
            let asking = &mut self.identities[identity as usize].asking;
            asking.swap_remove(position as usize);
            let Some(moved) = asking.get(position as usize).copied() else {
                self.release(identity);
                continue;
            };
            let places = self.entry_mut(moved).map(|entry| &mut entry.asks);
            if let Some(place) = places.and_then(|asks| asks.iter_mut().find(|(known, _)| *known == identity)) {
                place.1 = position;
            }
        }
    }

    fn candidate<'r>(&self, number: u32, identity: &Identity<'_>, id: impl Fn(u32) -> &'r ResourceId) -> Option<u32> {
        self.candidate_of(number, self.find(identity.namespace, &identity.key)?, id)
    }

    /// Returns the other resource that offers an identity; of several, the one whose id sorts first.
    fn candidate_of<'r>(&self, number: u32, identity: u32, id: impl Fn(u32) -> &'r ResourceId) -> Option<u32> {
        let offering = &self.identities[identity as usize].offering;
        offering.iter().copied().filter(|other| *other != number).min_by_key(|other| id(*other))
    }

    /// Forgets an identity that nobody offers or asks for.
    fn release(&mut self, identity: u32) {
        let known = &mut self.identities[identity as usize];
        if !known.offering.is_empty() || !known.asking.is_empty() {
            return;
        }
        let hash = hash(known.namespace, &known.key);
        known.key = Box::default();
        if let Ok(entry) = self.by_key.find_entry(hash, |number| *number == identity) {
            entry.remove();
            self.free.push(identity);
        }
    }

    fn find(&self, namespace: &str, key: &str) -> Option<u32> {
        let is_same = |number: &u32| {
            let known = &self.identities[*number as usize];
            known.namespace == namespace && *known.key == *key
        };
        self.by_key.find(hash(namespace, key), is_same).copied()
    }

    fn number_of(&mut self, namespace: &'static str, key: &str) -> u32 {
        if let Some(number) = self.find(namespace, key) {
            return number;
        }
        let known = Known { namespace, key: key.into(), offering: SmallVec::new(), asking: Vec::new() };
        let number = match self.free.pop() {
            Some(number) => {
                self.identities[number as usize] = known;
                number
            }
            None => {
                self.identities.push(known);
                self.identities.len() as u32 - 1
            }
        };
        let identities = &self.identities;
        self.by_key.insert_unique(hash(namespace, key), number, |number| {
            let known = &identities[*number as usize];
            hash(known.namespace, &known.key)
        });
        number
    }
}

fn hash(namespace: &str, key: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one((namespace, key))
}
