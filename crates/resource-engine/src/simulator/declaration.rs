//! Random graphs as a program would declare them.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcl_value::Value;
use resource_graph::{Resource, ResourceId};

use crate::simulator::random::Random;
use crate::{EngineGraph, Group, GroupEdge, Transfer};

/// The number of names of resources.
pub(super) const NAMES: usize = 7;

/// A resource by its name.
pub(super) type Name = usize;

/// A graph: groups of resources, the order between them, and the values that they send.
#[derive(Default)]
pub(super) struct Declaration {
    resources: BTreeMap<Name, Arc<Resource>>,
    /// Whether a resource is grouped with the one before it.
    grouped: [bool; NAMES],
    /// Edges from lower to higher names, so there is no cycle, and whether they notify.
    edges: BTreeMap<(Name, Name), bool>,
    /// The sender of the value that a resource receives.
    senders: BTreeMap<Name, Name>,
    version: i64,
}

/// The vertices of a graph, by the names of their members, the leader first.
pub(super) type Members = Vec<Vec<Name>>;

pub(super) fn id(name: Name) -> ResourceId {
    ResourceId::new("noop", format!("r{name}"))
}

pub(super) fn name_of(id: &ResourceId) -> Name {
    id.name[1..].parse().expect("a name of the simulator")
}

pub(super) fn refreshable(resource: &Resource) -> bool {
    resource.params.get("deaf").is_none()
}

pub(super) fn claims(resource: &Resource) -> Vec<String> {
    let path = resource.params.get("path").and_then(Value::as_bytes);
    path.map(|path| String::from_utf8_lossy(path).into_owned()).into_iter().collect()
}

impl Declaration {
    /// Makes the next graph of the program.
    pub(super) fn change(&mut self, random: &mut Random) {
        if self.resources.is_empty() || random.chance(20) {
            let names: Vec<Name> = (0..NAMES).filter(|_| random.chance(60)).collect();
            self.resources = names.into_iter().map(|name| (name, self.resource(name, random))).collect();
        }
        for name in 0..NAMES {
            if self.resources.contains_key(&name) && random.chance(20) {
                let resource = self.resource(name, random);
                self.resources.insert(name, resource);
            } else if random.chance(5) {
                self.resources.remove(&name);
            } else if random.chance(5) {
                let resource = self.resource(name, random);
                self.resources.insert(name, resource);
            }
        }
        if random.chance(20) {
            self.grouped = std::array::from_fn(|_| random.chance(15));
        }
        if random.chance(40) {
            let pairs = (0..NAMES).flat_map(|a| (a + 1..NAMES).map(move |b| (a, b)));
            self.edges = pairs
                .filter(|_| random.chance(20))
                .collect::<Vec<_>>()
                .into_iter()
                .map(|pair| (pair, random.chance(60)))
                .collect();
        }
        if random.chance(20) {
            let receivers: Vec<Name> = (1..NAMES).filter(|_| random.chance(20)).collect();
            self.senders = receivers.into_iter().map(|to| (to, random.below(to))).collect();
        }
    }

    /// Changes values of some resources, and returns these. The members of vertices and what may send stay the same.
    pub(super) fn change_values(&mut self, random: &mut Random) -> Vec<Name> {
        let names: Vec<Name> = self.resources.keys().copied().filter(|_| random.chance(30)).collect();
        for &name in &names {
            let mut resource = self.resource(name, random);
            let old = &self.resources[&name];
            let new = Arc::make_mut(&mut resource);
            (new.propagates_refresh, new.meta.hidden) = (old.propagates_refresh, old.meta.hidden);
            self.resources.insert(name, resource);
        }
        names
    }

    /// Replaces all resources by some that come into their state.
    pub(super) fn make_healthy(&mut self) {
        for resource in self.resources.values_mut() {
            let resource = Arc::make_mut(resource);
            resource.params.insert("comment".into(), Value::str("last"));
            let meta = &mut resource.meta;
            (meta.retry, meta.noop, meta.reset, meta.poll, meta.hidden) = (-1, false, true, 0, false);
        }
    }

    fn resource(&mut self, name: Name, random: &mut Random) -> Arc<Resource> {
        let mut resource = Resource::new(id(name));
        self.version += 1;
        resource.params.insert("comment".into(), Value::str(self.version.to_string()));
        if random.chance(20) {
            resource.params.insert("path".into(), Value::str(random.pick(&["/p", "/q"])));
        }
        if random.chance(10) {
            resource.params.insert("deaf".into(), Value::str("yes"));
        }
        resource.propagates_refresh = random.chance(15);
        let meta = &mut resource.meta;
        meta.retry = random.pick(&[0, 0, 1, 3, -1]);
        meta.retryreset = random.chance(30);
        meta.delay = random.pick(&[0, 0, 5]);
        meta.timeout = random.pick(&[0, 0, 0, 20]);
        meta.rewatch = random.chance(20);
        meta.noop = random.chance(5);
        meta.reset = random.chance(30);
        meta.hidden = random.chance(4);
        meta.reverse = random.chance(15);
        meta.poll = random.pick(&[0, 0, 0, 0, 0, 0, 0, 1, -1]);
        if random.chance(10) {
            (meta.limit, meta.burst) = (100.0, 1);
        }
        meta.sema = match random.below(8) {
            0 => vec!["s".to_owned()],
            1 => vec!["t:2".to_owned()],
            2 => vec!["s".to_owned(), "t:2".to_owned()],
            _ => Vec::new(),
        };
        Arc::new(resource)
    }

    pub(super) fn contains(&self, name: Name) -> bool {
        self.resources.contains_key(&name)
    }

    /// Returns the members of each vertex, in order.
    pub(super) fn members(&self) -> Members {
        let mut vertices: Members = Vec::new();
        for (&name, resource) in &self.resources {
            let may_join = |last: &Vec<Name>| {
                let leader = &self.resources[&last[0]];
                self.grouped[name] && !resource.propagates_refresh && !leader.propagates_refresh
            };
            match vertices.last_mut().filter(|last| may_join(last)) {
                Some(last) => last.push(name),
                None => vertices.push(vec![name]),
            }
        }
        vertices
    }

    /// Makes the graph. Half of the resources that did not change are new objects.
    pub(super) fn graph(&self, random: &mut Random) -> EngineGraph {
        let members = self.members();
        let mut place = [(0, 0); NAMES];
        let mut groups = Vec::new();
        for (index, names) in members.iter().enumerate() {
            for (member, name) in names.iter().enumerate() {
                place[*name] = (index as u32, member);
            }
            let resources: Vec<&Arc<Resource>> = names.iter().map(|name| &self.resources[name]).collect();
            groups.push(match resources[..] {
                [alone] if random.chance(50) => Group::Alone(alone.clone()),
                _ => match resources.len() {
                    1 => Group::from((**resources[0]).clone()),
                    _ => Group::from(resources.iter().map(|resource| (***resource).clone()).collect::<Vec<_>>()),
                },
            });
        }
        let edges = self.edges().map(|((from, to), notify)| GroupEdge { from: place[from].0, to: place[to].0, notify });
        let transfers = self.transfers().map(|(from, to)| {
            let ((from, from_member), (to, to_member)) = (place[from], place[to]);
            let (from_key, to_key) = ("out".into(), "p".into());
            Transfer { from: (from, from_member), from_key, to: (to, to_member), to_key }
        });
        EngineGraph::new(groups, edges.filter(|e| e.from != e.to).collect(), transfers.collect())
            .expect("no cycle by construction")
    }

    fn edges(&self) -> impl Iterator<Item = ((Name, Name), bool)> {
        let known = |pair: &(Name, Name)| self.contains(pair.0) && self.contains(pair.1);
        self.edges.iter().filter(move |(pair, _)| known(pair)).map(|(pair, notify)| (*pair, *notify))
    }

    /// Returns the transfers: from the sender to the receiver.
    pub(super) fn transfers(&self) -> impl Iterator<Item = (Name, Name)> {
        let members = self.members();
        let group = move |name: Name| members.iter().position(|names| names.contains(&name));
        let pairs = self.senders.iter().map(|(to, from)| (*from, *to));
        pairs.filter(move |(from, to)| {
            let visible = |name: &Name| self.resources.get(name).is_some_and(|resource| !resource.meta.hidden);
            visible(from) && visible(to) && group(*from) != group(*to)
        })
    }

    /// Returns the edges between vertices, by their leaders; `true` for those that notify.
    pub(super) fn leader_edges(&self) -> BTreeMap<(Name, Name), bool> {
        let mut leaders = [0; NAMES];
        for names in self.members() {
            names.iter().for_each(|name| leaders[*name] = names[0]);
        }
        let mut edges = BTreeMap::new();
        let implied = self.transfers().map(|pair| (pair, false));
        for ((from, to), notify) in self.edges().chain(implied) {
            if leaders[from] != leaders[to] {
                *edges.entry((leaders[from], leaders[to])).or_insert(false) |= notify;
            }
        }
        edges
    }

    /// Whether a notification has an effect on the vertex with this leader.
    pub(super) fn listens(&self, leader: Name) -> bool {
        self.resources.get(&leader).is_some_and(|resource| refreshable(resource) && !resource.meta.hidden)
    }

    pub(super) fn is_hidden(&self, leader: Name) -> bool {
        self.resources.get(&leader).is_some_and(|resource| resource.meta.hidden)
    }

    /// Whether the attempts of a resource start anew when it is replaced.
    pub(super) fn resets(&self, leader: Name) -> bool {
        self.resources.get(&leader).is_some_and(|resource| resource.meta.reset)
    }
}
