//! A graph with automatic edges whose resources change one by one, at a cost that is proportional to what they touch.
//!
//! The reference is the whole computation: [`add_autoedges`](crate::add_autoedges), contradictions, and
//! [`autogroup`](crate::autogroup). An [edit](IncrementalGraph::edit) gives the same edges, or nothing where that is not certain:
//!
//! * Automatic edges come from an index of what resources offer and ask for (`autoedge/index.rs`).
//! * A topological order is kept (`incremental/order.rs`). If an edit closes a cycle, the whole computation has to omit an
//!   automatic edge, or to report the cycle. An omitted edge stays omitted as long as the declared path stays that it
//!   contradicts (`incremental/omitted.rs`).
//! * Groups depend on which resources reach which. So no resource changes that may be grouped, and no path between two of them
//!   comes or goes (`incremental/grouping.rs`).
//! * Ids and declared edges occur once.

mod grouping;
mod omitted;
mod order;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, BuildHasherDefault};
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxHashSet, FxHasher};
use smallvec::SmallVec;

use crate::autoedge::{AutoEdgeIndex, OwnEdge};
use crate::autogroup::Groupable;
use crate::{AutoEdgeHost, Resource, ResourceGraph, ResourceId, topological_order};

/// The gap between ranks after numbering; small in tests, so that they number again.
const SPACING: u64 = if cfg!(test) { 16 } else { 1 << 32 };

/// An edge that a program declares.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclaredEdge {
    /// The resource that comes first.
    pub from: ResourceId,
    /// The resource that comes after it.
    pub to: ResourceId,
    /// Whether a change of the first refreshes the second.
    pub notify: bool,
}

/// Resources and declared edges that change.
#[derive(Clone, Debug, Default)]
pub struct GraphEdit {
    /// The resources that leave.
    pub removed: Vec<ResourceId>,
    /// New resources.
    pub added: Vec<Arc<Resource>>,
    /// Resources that take the place of those with the same id.
    pub replaced: Vec<Arc<Resource>>,
    /// The declared edges that are not declared any more, those of removed resources included.
    pub removed_edges: Vec<DeclaredEdge>,
    /// Newly declared edges.
    pub added_edges: Vec<DeclaredEdge>,
}

/// The edges, automatic ones included, between resources that are not removed. One whose notification changes is in both lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeChanges {
    /// The edges that are not in the graph any more, or notify in another way.
    pub removed: Vec<(ResourceId, ResourceId)>,
    /// The edges that are new, or notify in another way.
    pub added: Vec<DeclaredEdge>,
}

/// The graph.
#[derive(Debug)]
pub struct IncrementalGraph {
    vertices: Vec<Option<Vertex>>,
    free: Vec<u32>,
    by_id: HashTable<u32>,
    autoedges: AutoEdgeIndex,
    groupable: Groupable,
    /// Whether any resource may be grouped.
    has_groupable: bool,
    /// The declared edges because of which automatic ones are omitted.
    contradicting: FxHashSet<(u32, u32)>,
    /// Greater than the rank of every vertex.
    next_rank: u64,
}

#[derive(Debug)]
struct Vertex {
    resource: Arc<Resource>,
    successors: SmallVec<[u32; 2]>,
    predecessors: SmallVec<[Link; 2]>,
    /// Greater than that of each predecessor.
    rank: u64,
    may_be_grouped: bool,
}

/// An edge from a vertex.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: u32,
    /// Whether it notifies, if it is declared.
    declared: Option<bool>,
    /// The number of resources whose rules ask for it.
    automatic: u32,
}

/// The pairs of vertices that an edit touches: for each whether there was an edge, and whether it notified.
type Touched = BTreeMap<(u32, u32), Option<bool>>;

impl IncrementalGraph {
    /// Makes it of a graph that has its automatic edges. `None` if the graph cannot be followed: several resources have one id,
    /// or an edge is omitted from it for another reason than declared edges.
    #[must_use]
    pub fn of(graph: &ResourceGraph, host: &AutoEdgeHost<'_>) -> Option<IncrementalGraph> {
        if graph.ids_of_several_vertices().next().is_some() {
            return None;
        }
        let contradicting = omitted::contradicting(graph)?;
        let omitted: FxHashSet<(u32, u32)> = graph.omitted().iter().map(|edge| (edge.from.0, edge.to.0)).collect();
        let flows = graph.sendrecv().iter().map(|flow| (flow.from.vertex.0, flow.to.vertex.0));
        let edges = graph.edges().map(|edge| (edge.from.0, edge.to.0));
        let order = topological_order(graph.len(), edges.chain(flows.clone())).ok()?;
        let autoedges = AutoEdgeIndex::of(graph, host)?;
        let groupable = Groupable::new();
        let vertex = |number| {
            let resource = Arc::clone(graph.shared_resource(number));
            let may_be_grouped = groupable.contains(&resource);
            let (successors, predecessors) = (SmallVec::new(), SmallVec::new());
            Some(Vertex { resource, successors, predecessors, rank: 0, may_be_grouped })
        };
        let vertices: Vec<Option<Vertex>> = graph.vertices().map(vertex).collect();
        let has_groupable = vertices.iter().flatten().any(|vertex| vertex.may_be_grouped);
        let mut by_id = HashTable::with_capacity(vertices.len());
        for number in 0..vertices.len() as u32 {
            by_id.insert_unique(hash_of(&vertices, number), number, |other| hash_of(&vertices, *other));
        }
        let (next_rank, free) = (SPACING * (order.len() as u64 + 1), Vec::new());
        let mut all =
            IncrementalGraph { vertices, free, by_id, autoedges, groupable, has_groupable, contradicting, next_rank };
        for (rank, number) in order.into_iter().enumerate() {
            all.vertex_mut(number)?.rank = SPACING * (rank as u64 + 1);
        }
        for edge in graph.edges() {
            all.link_mut(edge.from.0, edge.to.0)?.declared = (!edge.autoedge).then_some(edge.notify);
        }
        for (from, to) in flows {
            all.link_mut(from, to)?.declared.get_or_insert(false);
        }
        for number in 0..all.vertices.len() as u32 {
            for (from, to) in ends(number, all.autoedges.edges(number).to_vec()) {
                if !omitted.contains(&(from, to)) {
                    all.link_mut(from, to)?.automatic += 1;
                }
            }
        }
        // Puppet's automatic relationships were in the graph before.
        for link in all.vertices.iter_mut().flatten().flat_map(|vertex| &mut vertex.predecessors) {
            if link.automatic == 0 {
                link.declared.get_or_insert(false);
            }
        }
        Some(all)
    }

    /// Returns a resource.
    #[must_use]
    pub fn resource(&self, id: &ResourceId) -> Option<&Arc<Resource>> {
        Some(&self.vertex(self.find(id)?)?.resource)
    }

    /// Replaces a resource by one with the same id, after which the graph around it stays the same.
    pub fn replace_value(&mut self, resource: &Arc<Resource>) {
        if let Some(vertex) = self.find(&resource.id).and_then(|number| self.vertex_mut(number)) {
            vertex.resource = Arc::clone(resource);
        }
    }

    /// Makes changes, and returns the edges that are other ones now.
    ///
    /// `None` if the whole graph has to be made again: to see what changes, or because it is invalid. This graph must not be
    /// used any more then.
    pub fn edit(&mut self, edit: &GraphEdit) -> Option<EdgeChanges> {
        let mut touched = Touched::new();
        for DeclaredEdge { from, to, notify } in &edit.removed_edges {
            let (from, to) = (self.find(from)?, self.find(to)?);
            if self.contradicting.contains(&(from, to)) {
                return None;
            }
            self.touch(&mut touched, from, to);
            let link = self.known_link_mut(from, to)?;
            if link.declared.take() != Some(*notify) {
                return None;
            }
            self.drop_unused(from, to);
        }
        let removed = edit.removed.iter().map(|id| self.find(id)).collect::<Option<BTreeSet<u32>>>()?;
        let mut affected = BTreeSet::new();
        let mut unsteady = removed.clone();
        for number in removed.iter().copied() {
            affected.extend(self.retract(number, &mut touched)?);
        }
        for resource in &edit.replaced {
            let number = self.find(&resource.id)?;
            affected.extend(self.retract(number, &mut touched)?);
            self.vertex_mut(number)?.resource = Arc::clone(resource);
            affected.extend(self.offer(number)?);
        }
        for resource in &edit.added {
            let number = self.add(resource)?;
            unsteady.insert(number);
            affected.extend(self.offer(number)?);
        }
        let mut new_edges: Vec<(u32, u32)> = Vec::new();
        for number in affected.difference(&removed).copied() {
            new_edges.extend(self.ask_again(number, &mut touched)?);
        }
        for number in removed.iter().copied() {
            self.remove(number)?;
        }
        for DeclaredEdge { from, to, notify } in &edit.added_edges {
            let (from, to) = (self.find(from)?, self.find(to)?);
            self.touch(&mut touched, from, to);
            if self.link_mut(from, to)?.declared.replace(*notify).is_some() {
                return None;
            }
            self.order(from, to)?;
        }
        for (from, to) in new_edges {
            self.touch(&mut touched, from, to);
            self.link_mut(from, to)?.automatic += 1;
            self.order(from, to)?;
        }
        let changes = self.changes(&touched, &unsteady)?;
        self.free.extend(removed);
        Some(changes)
    }

    /// Takes back what a resource offers and asks for. Returns those whose automatic edges may change.
    fn retract(&mut self, number: u32, touched: &mut Touched) -> Option<BTreeSet<u32>> {
        if self.vertex(number)?.may_be_grouped {
            return None;
        }
        for (from, to) in ends(number, self.autoedges.edges(number).to_vec()) {
            self.lose_automatic(from, to, touched)?;
        }
        Some(self.autoedges.remove(number))
    }

    /// Adds what a resource offers. Returns those whose automatic edges may change, the resource included.
    fn offer(&mut self, number: u32) -> Option<BTreeSet<u32>> {
        let resource = Arc::clone(&self.vertex(number)?.resource);
        if self.groupable.contains(&resource) {
            return None;
        }
        let mut affected = self.autoedges.insert(number, &resource)?;
        affected.insert(number);
        Some(affected)
    }

    /// Lets the rules of a resource run again. Returns its new automatic edges.
    fn ask_again(&mut self, number: u32, touched: &mut Touched) -> Option<Vec<(u32, u32)>> {
        let before = self.autoedges.edges(number).to_vec();
        let vertices = &self.vertices;
        // The index knows vertices of the graph only.
        let resource = |number: u32| &*vertices[number as usize].as_ref().expect("a vertex of the graph").resource;
        self.autoedges.update(number, resource)?;
        let after = self.autoedges.edges(number).to_vec();
        for (from, to) in ends(number, before.iter().copied().filter(|edge| !after.contains(edge))) {
            self.lose_automatic(from, to, touched)?;
        }
        Some(ends(number, after.into_iter().filter(|edge| !before.contains(edge))).collect())
    }

    fn add(&mut self, resource: &Arc<Resource>) -> Option<u32> {
        if self.find(&resource.id).is_some() {
            return None;
        }
        let vertex = Vertex {
            resource: Arc::clone(resource),
            successors: SmallVec::new(),
            predecessors: SmallVec::new(),
            rank: self.new_rank(),
            may_be_grouped: false,
        };
        let number = self.free.pop().unwrap_or(self.vertices.len() as u32);
        if self.vertices.len() <= number as usize {
            self.vertices.push(None);
        }
        self.vertices[number as usize] = Some(vertex);
        let vertices = &self.vertices;
        self.by_id.insert_unique(hash_of(vertices, number), number, |other| hash_of(vertices, *other));
        Some(number)
    }

    /// Removes a vertex that has no edges any more.
    fn remove(&mut self, number: u32) -> Option<()> {
        let vertex = self.vertex(number)?;
        if !vertex.successors.is_empty() || !vertex.predecessors.is_empty() {
            return None;
        }
        let hash = hash_of(&self.vertices, number);
        self.by_id.find_entry(hash, |other| *other == number).ok()?.remove();
        self.vertices[number as usize] = None;
        Some(())
    }

    fn lose_automatic(&mut self, from: u32, to: u32, touched: &mut Touched) -> Option<()> {
        self.touch(touched, from, to);
        self.known_link_mut(from, to)?.automatic -= 1;
        self.drop_unused(from, to);
        Some(())
    }

    /// Notes how an edge is before it changes.
    fn touch(&self, touched: &mut Touched, from: u32, to: u32) {
        touched.entry((from, to)).or_insert_with(|| self.notifies(from, to));
    }

    /// Whether an edge notifies, if there is one.
    fn notifies(&self, from: u32, to: u32) -> Option<bool> {
        let link = self.vertex(to)?.predecessors.iter().find(|link| link.from == from)?;
        Some(link.declared.unwrap_or(false))
    }

    /// Returns the edges that differ from what they were; `None` if groups may differ, too.
    fn changes(&self, touched: &Touched, unsteady: &BTreeSet<u32>) -> Option<EdgeChanges> {
        let mut changes = EdgeChanges::default();
        let mut moved = Vec::new();
        for (&(from, to), before) in touched {
            let after = self.notifies(from, to);
            if before.is_some() != after.is_some() {
                moved.push((from, to));
            }
            let (Some(source), Some(target)) = (self.vertex(from), self.vertex(to)) else { continue };
            let (source, target) = (&source.resource.id, &target.resource.id);
            if *before == after {
                continue;
            }
            if before.is_some() {
                changes.removed.push((source.clone(), target.clone()));
            }
            if let Some(notify) = after {
                changes.added.push(DeclaredEdge { from: source.clone(), to: target.clone(), notify });
            }
        }
        (!self.may_regroup(moved, unsteady)).then_some(changes)
    }

    fn find(&self, id: &ResourceId) -> Option<u32> {
        let is_same = |number: &u32| self.vertex(*number).is_some_and(|vertex| vertex.resource.id == *id);
        self.by_id.find(hash(id), is_same).copied()
    }

    fn vertex(&self, number: u32) -> Option<&Vertex> {
        self.vertices.get(number as usize)?.as_ref()
    }

    fn vertex_mut(&mut self, number: u32) -> Option<&mut Vertex> {
        self.vertices.get_mut(number as usize)?.as_mut()
    }

    fn known_link_mut(&mut self, from: u32, to: u32) -> Option<&mut Link> {
        self.vertex_mut(to)?.predecessors.iter_mut().find(|link| link.from == from)
    }

    /// Returns the edge, which is made if there is none. `None` for an edge to itself.
    fn link_mut(&mut self, from: u32, to: u32) -> Option<&mut Link> {
        if from == to {
            return None;
        }
        if self.notifies(from, to).is_none() {
            self.vertex_mut(from)?.successors.push(to);
            self.vertex_mut(to)?.predecessors.push(Link { from, declared: None, automatic: 0 });
        }
        self.known_link_mut(from, to)
    }

    /// Removes an edge that nobody declares or asks for.
    fn drop_unused(&mut self, from: u32, to: u32) {
        let Some(target) = self.vertex_mut(to) else { return };
        let is_unused = |link: &Link| link.from == from && link.declared.is_none() && link.automatic == 0;
        let Some(index) = target.predecessors.iter().position(is_unused) else { return };
        target.predecessors.swap_remove(index);
        if let Some(source) = self.vertex_mut(from)
            && let Some(index) = source.successors.iter().position(|successor| *successor == to)
        {
            source.successors.swap_remove(index);
        }
    }
}

/// Returns the ends of the edges that the rules of one resource ask for, the first one first.
fn ends(number: u32, edges: impl IntoIterator<Item = OwnEdge>) -> impl Iterator<Item = (u32, u32)> {
    edges.into_iter().map(move |edge| if edge.is_outgoing { (number, edge.other) } else { (edge.other, number) })
}

fn hash_of(vertices: &[Option<Vertex>], number: u32) -> u64 {
    vertices[number as usize].as_ref().map_or(0, |vertex| hash(&vertex.resource.id))
}

fn hash(id: &ResourceId) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(id)
}
