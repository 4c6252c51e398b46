//! Patches: values of resources change, or vertices and edges come and go. A patch must do what a swap to the whole graph does,
//! so each is compared with one, on a copy of the engine.

use std::collections::{BTreeMap, BTreeSet};

use resource_graph::Resource;

use crate::event::{Command, Event, Report};
use crate::key::VertexKey;
use crate::simulator::declaration::{NAMES, Name, id, name_of};
use crate::simulator::random::Random;
use crate::simulator::world::World;
use crate::vertex::{Phase, Vertex};
use crate::{Engine, EngineGraph, GraphPatch, Group, PatchEdge};

impl World {
    /// Changes values of some resources, and replaces their vertices.
    pub(super) fn patch(&mut self, random: &mut Random) {
        if self.stopping || self.members.is_empty() {
            return;
        }
        let changed = self.declaration.change_values(random);
        let mut graph = self.declaration.graph(random);
        let mut groups: Vec<Group> = graph.groups().to_vec();
        // An unchanged group in a patch is ignored.
        groups.retain(|group| group.iter().any(|r| changed.iter().any(|name| id(*name) == r.id)) || random.chance(10));
        for reversal in self.reversals() {
            graph.add_before(reversal, []);
        }
        self.log(|w| format!("patch of {changed:?} in {:?}", w.members));
        let patch = GraphPatch::of_values(groups);
        self.compare_with_swap(graph, patch.clone());
        let members = self.members.clone();
        self.replace_graph(Event::Patch(patch), &members, false);
    }

    /// Makes the next graph of the program, and changes the running one where it differs. If values are sent in another way, or
    /// groups have other members, the whole graph is replaced.
    pub(super) fn patch_structure(&mut self, random: &mut Random) {
        if self.stopping || self.members.is_empty() || !self.faults {
            return;
        }
        let old = Structure::of(self);
        self.declaration.change(random);
        let new = Structure::of(self);
        let is_kept = |leader: &&Name| old.groups.contains_key(*leader) && new.groups.contains_key(*leader);
        let keeps_members = old.groups.keys().filter(is_kept).all(|leader| old.groups[leader] == new.groups[leader]);
        let is_reversed = |name: &Name| self.reversible[*name] && !self.declaration.contains(*name);
        let has_reversals = old.groups.len() < self.members.len() || (0..NAMES).any(|name| is_reversed(&name));
        if !keeps_members || has_reversals || !old.transfers.is_empty() || !new.transfers.is_empty() {
            return self.swap(random);
        }
        let graph = self.declaration.graph(random);
        let (mut replaced, mut added) = (Vec::new(), Vec::new());
        for group in graph.groups() {
            let groups = if old.groups.contains_key(&name_of(&group[0].id)) { &mut replaced } else { &mut added };
            groups.push(group.clone());
        }
        // An edge whose notification changes is removed and added again.
        let is_in =
            |structure: &Structure, edge: &(Name, Name), notify: bool| structure.edges.get(edge) == Some(&notify);
        let differing = |a: &Structure, b: &Structure| -> Vec<((Name, Name), bool)> {
            let edges = a.edges.iter().filter(|(edge, notify)| !is_in(b, edge, **notify));
            edges.map(|(edge, notify)| (*edge, *notify)).collect()
        };
        let patch = GraphPatch {
            replaced,
            removed: old
                .groups
                .keys()
                .filter(|leader| !new.groups.contains_key(*leader))
                .map(|name| id(*name))
                .collect(),
            added,
            removed_edges: differing(&old, &new).into_iter().map(|((from, to), _)| (id(from), id(to))).collect(),
            added_edges: differing(&new, &old)
                .into_iter()
                .map(|((from, to), notify)| PatchEdge { from: id(from), to: id(to), notify })
                .collect(),
        };
        self.log(|w| format!("patch to {:?}: {patch:?}", w.declaration.members()));
        self.compare_with_swap(graph, patch.clone());
        let members = std::mem::replace(&mut self.members, self.declaration.members());
        self.replace_graph(Event::Patch(patch), &members, false);
    }

    /// Returns the reversals in the graph.
    fn reversals(&self) -> Vec<Resource> {
        let leaders = self.members.iter().map(|members| members[0]);
        leaders.filter(|name| !self.declaration.contains(*name)).map(World::reversal).collect()
    }

    fn compare_with_swap(&self, graph: EngineGraph, patch: GraphPatch) {
        // With a limit, other vertices begin in the first step. A patch of the structure, or of several vertices, looks at them in
        // another order, which matters where they wait for each other. So does one that also revives what has failed for good.
        let has_semaphores = || graph.groups().iter().flat_map(|group| group.iter()).any(|r| !r.meta.sema.is_empty());
        let is_exclusive = self.engine.config.exclusive.is_some();
        let is_contended = || is_exclusive || self.engine.config.max_parallel.is_some() || has_semaphores();
        let has_other_order = patch.is_structural() || patch.replaced.len() + self.engine.to_revive.len() > 1;
        // A patch gives up the order of vertices with an exclusive name in common.
        let has_order = self.engine.config.once && self.engine.config.exclusive.is_some();
        if has_order || self.engine.config.max_starts_per_step.is_some() || (has_other_order && is_contended()) {
            return;
        }
        let (mut patched, mut swapped) = (self.engine.copy(), self.engine.copy());
        let patched_commands = patched.step(Event::Patch(patch), self.now);
        let swapped_commands = swapped.step(Event::Swap(Box::new(graph)), self.now);
        let (after_patch, after_swap) = (patched.snapshot(), swapped.snapshot());
        for (what, state) in &after_swap {
            assert_eq!(after_patch.get(what), Some(state), "{what} after a patch and after a swap");
        }
        assert_eq!(after_patch.len(), after_swap.len());
        assert_eq!(
            patched.shown(&patched_commands),
            swapped.shown(&swapped_commands),
            "the commands of a patch and a swap"
        );
    }
}

/// The vertices and edges that a program declares, by the names of leaders.
struct Structure {
    groups: BTreeMap<Name, Vec<Name>>,
    edges: BTreeMap<(Name, Name), bool>,
    transfers: BTreeSet<(Name, Name)>,
}

impl Structure {
    fn of(world: &World) -> Structure {
        let members = world.declaration.members();
        Structure {
            groups: members.into_iter().map(|members| (members[0], members)).collect(),
            edges: world.declaration.leader_edges(),
            transfers: world.declaration.transfers().collect(),
        }
    }
}

impl Engine {
    /// Returns an engine in the same state, between two steps.
    fn copy(&self) -> Engine {
        Engine {
            config: self.config.clone(),
            vertices: self.vertices.clone(),
            free: self.free.clone(),
            by_id: self.by_id.clone(),
            by_member: self.by_member.clone(),
            unknown: self.unknown.clone(),
            retry_counts: self.retry_counts.clone(),
            semaphores: self.semaphores.clone(),
            common_semaphore: self.common_semaphore.clone(),
            granted: self.granted.clone(),
            records: self.records.clone(),
            timers: self.timers.clone(),
            queue: self.queue.clone(),
            ready: self.ready.clone(),
            is_turn_of_added: self.is_turn_of_added,
            commands: Vec::new(),
            now: self.now,
            paused: self.paused,
            last_epoch: self.last_epoch,
            stopping: self.stopping,
            stopped: self.stopped,
            running: self.running,
            active: self.active,
            total: self.total,
            conditions: self.conditions,
            edge_count: self.edge_count,
            order_edges: self.order_edges.clone(),
            to_revive: self.to_revive.clone(),
            removals: self.removals.clone(),
            has_graph: self.has_graph,
            last_activity: self.last_activity,
            converged: self.converged,
            visited: Default::default(),
        }
    }

    /// Returns what does not depend on how keys and epochs are numbered.
    fn snapshot(&self) -> BTreeMap<String, String> {
        let mut shown = BTreeMap::new();
        for (index, vertex) in self.vertices.iter().enumerate() {
            if let Some(vertex) = vertex {
                shown.insert(self.key_name(VertexKey(index as u32)), self.vertex_state(vertex));
            }
        }
        let names = |keys: &mut dyn Iterator<Item = VertexKey>| keys.map(|key| self.key_name(key)).collect::<Vec<_>>();
        let waiting: BTreeMap<String, (usize, Vec<String>)> = self
            .removals
            .claims
            .iter()
            .map(|(claim, c)| {
                let mut waiting = names(&mut c.waiting.iter().copied());
                waiting.sort();
                (format!("{claim:?}"), (c.holders, waiting))
            })
            .collect();
        let retry_counts: BTreeMap<_, _> = self.retry_counts.iter().collect();
        let mut add = |what: &str, state: String| shown.insert(format!("the {what}"), state);
        add("waiting claims", format!("{waiting:?}"));
        add("retry counts", format!("{retry_counts:?}"));
        add("records", format!("{:?}", self.records.counts()));
        add("semaphores", format!("{:?}", self.semaphores.held()));
        add("added", {
            let mut names = names(&mut self.removals.added.iter().copied());
            names.sort();
            format!("{names:?}")
        });
        add("granted", format!("{:?}", names(&mut self.granted.iter().copied())));
        add("revived", {
            let mut names = names(&mut self.to_revive.iter().copied());
            names.sort();
            format!("{names:?}")
        });
        add("counts", format!("{:?}", (self.running, self.active, self.total, self.edge_count, self.removals.running)));
        add("convergence", format!("{:?}", (self.last_activity, self.converged)));
        shown
    }

    /// Removed vertices are numbered, because several may have one id.
    fn key_name(&self, key: VertexKey) -> String {
        let Some(vertex) = self.get(key) else { return "nothing".to_owned() };
        if !vertex.retiring {
            return vertex.id().to_string();
        }
        format!("removed {} with {key:?}", vertex.id())
    }

    fn vertex_state(&self, v: &Vertex) -> String {
        let names = |list: &[(VertexKey, bool)]| {
            list.iter().map(|(key, notify)| (self.key_name(*key), *notify)).collect::<BTreeSet<_>>()
        };
        let incoming: Vec<_> =
            v.flow().incoming.iter().map(|i| (self.key_name(i.from), i.from_member, i.member, i.key.clone())).collect();
        let phase = match v.phase {
            Phase::Acquiring { held, ticket } => format!("acquiring after {held}, waiting {}", ticket.is_some()),
            phase => format!("{phase:?}"),
        };
        let group: Vec<_> = v.group.iter().map(|r| (&r.id, &r.params, &r.meta, r.propagates_refresh)).collect();
        let flow = (incoming, &v.flow().sent, &v.flow().received, &v.flow().changed);
        // Nobody looks at the counts of a removed vertex.
        let counts = (!v.retiring).then_some((v.unsettled_predecessors, v.settled));
        let links = (names(&v.successors), names(&v.predecessors), counts);
        let progress = (v.created, v.watch, v.watch_failures, phase, v.dirty, v.event, v.given_up, v.succeeded);
        let recorded: BTreeSet<_> = v.recorded_targets.iter().collect();
        let notifications = (&v.pending_notifications, &v.taken_notifications, recorded, v.unreported_change);
        let times = (v.timer, v.poll_at, v.active, v.retiring, &v.failures, &v.limiter);
        format!("{group:?} {flow:?} {links:?} {progress:?} {notifications:?} {times:?} {:?}", v.semaphores)
    }

    /// Returns the commands with names in the place of keys, sorted: those of different vertices have no order.
    fn shown(&self, commands: &[Command]) -> Vec<String> {
        let mut shown: Vec<String> = commands
            .iter()
            .map(|command| match command {
                Command::Create(key, group) => format!("create {} {}", self.key_name(*key), group[0].id),
                Command::Watch(key, _) => format!("watch {}", self.key_name(*key)),
                Command::Run { key, apply, refresh, updates, changed, notifies } => {
                    let notifies: BTreeSet<_> = notifies.iter().collect();
                    format!("run {} {apply} {refresh} {updates:?} {changed:?} {notifies:?}", self.key_name(*key))
                }
                Command::Report(Report::Failed { key, failure, retry, attempt, since, next_attempt, watch }) => {
                    let times = (retry, attempt, since, next_attempt, watch);
                    format!("failed {} {failure} {times:?}", self.key_name(*key))
                }
                Command::Report(Report::Unknown { key, failure }) => {
                    format!("unknown {} {failure}", self.key_name(*key))
                }
                other => format!("{other:?}"),
            })
            .collect();
        shown.sort();
        shown
    }
}
