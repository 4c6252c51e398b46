//! Drives the engine through random graphs, timings, failures, swaps and crashes, and checks its invariants after every
//! command. A failing run prints its seed: `SEED=17 cargo test -p resource-engine simulator` repeats it alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use mcl_value::Value;
use resource_graph::{Resource, ResourceId};

use crate::Failure;
use crate::semaphores::capacity;
use crate::test_agent::resource;
use crate::*;

/// xorshift64*: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// What the agent would know of a vertex.
struct Live {
    id: ResourceId,
    semaphores: Vec<String>,
    /// The epoch that was requested and not answered yet.
    arming: Option<u32>,
    watching: Option<u32>,
    /// An event was delivered since the last check started.
    event: bool,
    running: Option<Running>,
    /// Whether the last check succeeded and nothing happened since.
    good: bool,
    in_graph: bool,
}

#[derive(Clone)]
struct Running {
    apply: bool,
    /// The notifications that this check answers.
    answers: BTreeSet<(ResourceId, ResourceId)>,
    notifies: Vec<ResourceId>,
    cancelled: bool,
}

struct Simulation {
    random: Random,
    engine: Engine,
    now: Time,
    live: HashMap<VertexKey, Live>,
    /// The declared graph.
    resources: Vec<Resource>,
    edges: BTreeMap<(String, String), bool>,
    /// The world: what is not in its state.
    drifted: BTreeSet<ResourceId>,
    /// Notifications that must still reach their target, by what we saw happen.
    owed: BTreeSet<(ResourceId, ResourceId)>,
    /// What the shell wrote down.
    journal: BTreeSet<(ResourceId, ResourceId)>,
    paused: bool,
    faults: bool,
    version: i64,
}

impl Simulation {
    fn new(seed: u64) -> Simulation {
        let mut simulation = Simulation {
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            engine: Engine::new(Config::default()),
            now: Time::ZERO,
            live: HashMap::new(),
            resources: Vec::new(),
            edges: BTreeMap::new(),
            drifted: BTreeSet::new(),
            owed: BTreeSet::new(),
            journal: BTreeSet::new(),
            paused: false,
            faults: true,
            version: 0,
        };
        simulation.boot();
        simulation
    }

    /// Starts an engine with what an earlier one left behind.
    fn boot(&mut self) {
        let undelivered = self.journal.iter().cloned().collect();
        let max_starts_per_step = self.random.pick(&[None, Some(1), Some(3)]);
        self.engine =
            Engine::new(Config { refreshable: Some(|_| true), max_starts_per_step, undelivered, ..Config::default() });
        self.live.clear();
        self.paused = false;
        self.new_graph();
    }

    fn new_resource(&mut self, name: &str) -> Resource {
        let mut r = resource(name);
        self.version += 1;
        r.params.insert("comment".into(), Value::str(self.version.to_string()));
        let meta = &mut r.meta;
        meta.retry = self.random.pick(&[0, 1, 3, -1, -1]);
        meta.retryreset = self.random.chance(30);
        meta.delay = self.random.pick(&[0, 0, 5]);
        meta.timeout = self.random.pick(&[0, 0, 20]);
        meta.rewatch = self.random.chance(30);
        meta.noop = self.random.chance(5);
        meta.reset = self.random.chance(30);
        if self.random.chance(10) {
            (meta.limit, meta.burst) = (100.0, 1);
        }
        meta.sema = match self.random.below(6) {
            0 => vec!["s".to_owned()],
            1 => vec!["t:2".to_owned()],
            2 => vec!["s".to_owned(), "t:2".to_owned()],
            _ => Vec::new(),
        };
        r
    }

    fn new_graph(&mut self) {
        if self.resources.is_empty() || self.random.chance(20) {
            let count = self.random.below(10);
            let names: Vec<String> = (0..count).map(|i| format!("r{i}")).collect();
            self.resources = names.iter().map(|n| self.new_resource(n)).collect();
        }
        for i in 0..self.resources.len() {
            if self.random.chance(20) {
                let name = self.resources[i].id.name.to_string();
                self.resources[i] = self.new_resource(&name);
            }
        }
        // Edges run from lower to higher names, so there is no cycle.
        if self.random.chance(50) {
            self.edges.clear();
            for a in 0..self.resources.len() {
                for b in a + 1..self.resources.len() {
                    if self.random.chance(25) {
                        let name = |i: usize| self.resources[i].id.name.to_string();
                        let notify = self.random.chance(50);
                        self.edges.insert((name(a), name(b)), notify);
                    }
                }
            }
        }
        self.swap();
    }

    fn swap(&mut self) {
        let at: HashMap<&str, u32> = self.resources.iter().enumerate().map(|(i, r)| (&*r.id.name, i as u32)).collect();
        let known = self.edges.iter().filter(|((a, b), _)| at.contains_key(&**a) && at.contains_key(&**b));
        let edges = known.map(|((a, b), n)| GroupEdge { from: at[&**a], to: at[&**b], notify: *n }).collect();
        let groups = self.resources.iter().map(|r| Group::from(r.clone())).collect();
        let graph = EngineGraph::new(groups, edges, Vec::new()).expect("no cycle by construction");
        let before: BTreeSet<(ResourceId, ResourceId)> = self.owed.clone();
        // A notification lives as long as its edge.
        self.owed = before.into_iter().filter(|(from, to)| self.notifies(from, to)).collect();
        for vertex in self.live.values_mut() {
            vertex.in_graph = false;
        }
        self.step(Event::Swap(Box::new(graph)));
    }

    fn notifies(&self, from: &ResourceId, to: &ResourceId) -> bool {
        let here = |id: &ResourceId| self.resources.iter().any(|r| r.id == *id);
        here(from) && here(to) && self.edges.get(&(from.name.to_string(), to.name.to_string())) == Some(&true)
    }

    fn step(&mut self, event: Event) {
        let is_swap = matches!(event, Event::Swap(_));
        let commands = self.engine.step(event, self.now);
        if is_swap {
            let removed = commands.iter().any(|c| matches!(c, Command::Report(Report::Swapped { .. })));
            assert!(removed, "a swap is reported");
            let in_force: Vec<VertexKey> = self.engine.live().map(|(key, _)| key).collect();
            for key in in_force {
                if let Some(vertex) = self.live.get_mut(&key) {
                    vertex.in_graph = true;
                }
            }
        }
        for command in commands {
            self.carry_out(command);
        }
        self.engine.assert_invariants();
        let running = self.live.values().filter(|v| v.running.is_some()).count();
        assert_eq!(self.engine.running, running, "the engine knows what runs");
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Create(key, group) => {
                let live = Live {
                    id: group[0].id.clone(),
                    semaphores: group[0].meta.sema.clone(),
                    arming: None,
                    watching: None,
                    event: true,
                    running: None,
                    good: false,
                    in_graph: true,
                };
                assert!(
                    self.live.insert(key, live).is_none_or(|old| !old.in_graph),
                    "a slot is not reused while in use"
                );
            }
            Command::Watch(key, epoch) => {
                let vertex = self.live.get_mut(&key).expect("created");
                vertex.arming = Some(epoch);
                vertex.watching = None;
            }
            Command::Unwatch(key) => {
                let vertex = self.live.get_mut(&key).expect("created");
                (vertex.arming, vertex.watching) = (None, None);
            }
            Command::Run { key, apply, refresh, notifies, .. } => self.begin(key, apply, refresh, notifies),
            Command::Cancel(key) | Command::Kill(key) => {
                if let Some(running) = &mut self.live.get_mut(&key).expect("created").running {
                    running.cancelled = true;
                }
            }
            Command::Remove(key) => {
                let old = self.live.remove(&key).expect("created");
                assert!(old.running.is_none(), "{} is removed while it runs", old.id);
            }
            Command::Delivered { from, to } => {
                assert!(!self.owed.contains(&(from.clone(), to.clone())), "{from} => {to} is forgotten but owed");
                self.journal.remove(&(from, to));
            }
            Command::Record { from, to } => {
                self.journal.insert((from, to));
            }
            Command::Report(Report::Failed { key, retry: None, .. }) => {
                self.live.get_mut(&key).expect("created").good = false;
            }
            Command::Report(_) => {}
        }
    }

    fn begin(&mut self, key: VertexKey, apply: bool, refresh: bool, notifies: Vec<ResourceId>) {
        assert!(!self.paused, "a check starts while paused");
        let vertex = &self.live[&key];
        let name = vertex.id.name.to_string();
        assert!(vertex.watching.is_some(), "{name} is checked before its watch is ready");
        let twin = self.live.values().find(|v| v.id == vertex.id && v.running.is_some());
        assert!(twin.is_none(), "{name} is checked twice at the same time");
        let mut todo = vec![name.clone()];
        let mut seen = BTreeSet::new();
        while let Some(at) = todo.pop() {
            for (from, to) in self.edges.keys() {
                let present = self.resources.iter().any(|r| *r.id.name == **from);
                if *to == at && present && seen.insert(from.clone()) {
                    let first = self.live.values().find(|v| v.in_graph && *v.id.name == **from).expect("a vertex");
                    assert!(first.running.is_none(), "{name} is checked while {from} is");
                    assert!(first.good, "{name} is checked before {from} succeeded");
                    todo.push(from.clone());
                }
            }
        }
        for sema in &vertex.semaphores {
            let holders = self.live.values().filter(|v| v.running.is_some() && v.semaphores.contains(sema)).count();
            assert!(holders < capacity(sema) as usize, "semaphore {sema} is held too often");
        }
        let answers: BTreeSet<_> = self.owed.iter().filter(|(_, to)| *to == vertex.id).cloned().collect();
        assert!(refresh || answers.is_empty(), "{name} did not receive {answers:?}");
        let vertex = self.live.get_mut(&key).expect("looked up above");
        vertex.event = false;
        vertex.running = Some(Running { apply, answers, notifies, cancelled: false });
    }

    /// Ends a running check: in the order in which it would happen in the world, up to a crash at any point.
    fn end(&mut self, key: VertexKey, crash: bool) {
        let vertex = &self.live[&key];
        let running = vertex.running.clone().expect("runs");
        let id = vertex.id.clone();
        let had_drifted = self.drifted.contains(&id);
        let fails = running.cancelled || (self.faults && self.random.chance(25));
        let repairs = had_drifted && running.apply && (!fails || self.random.chance(50));
        if repairs {
            self.journal.extend(running.notifies.iter().map(|to| (id.clone(), to.clone())));
            self.drifted.remove(&id);
            for to in &running.notifies {
                if self.notifies(&id, to) {
                    self.owed.insert((id.clone(), to.clone()));
                }
            }
        }
        if crash {
            return self.boot();
        }
        let vertex = self.live.get_mut(&key).expect("looked up above");
        vertex.running = None;
        let result = if fails { Err(Failure::Cancelled) } else { Ok(()) };
        if result.is_ok() {
            vertex.good = !vertex.event;
            if running.apply {
                // One that came again while the check ran is owed again: it is then in the engine's hands anew.
                self.owed.retain(|pair| !running.answers.contains(pair) || pair.0 == id);
            }
        }
        let changed = repairs || (had_drifted && !running.apply);
        self.step(Event::Finished(key, Finished { changed, sent: Vec::new(), result }));
        if repairs {
            // The repair is an event, too.
            self.fire(&id);
        }
    }

    fn fire(&mut self, id: &ResourceId) {
        let found = self.live.iter().find(|(_, v)| v.in_graph && v.id == *id && v.watching.is_some());
        if let Some((key, _)) = found {
            let key = *key;
            let vertex = self.live.get_mut(&key).expect("found above");
            vertex.event = true;
            vertex.good = false;
            self.step(Event::Fired(key));
        }
    }

    fn some_key(&mut self, wanted: impl Fn(&Live) -> bool) -> Option<VertexKey> {
        let mut keys: Vec<VertexKey> = self.live.iter().filter(|(_, v)| wanted(v)).map(|(key, _)| *key).collect();
        keys.sort();
        (!keys.is_empty()).then(|| keys[self.random.below(keys.len())])
    }

    fn answer_watch(&mut self, key: VertexKey, fail: bool) {
        let vertex = self.live.get_mut(&key).expect("chosen from the live ones");
        if let Some(epoch) = vertex.arming.take() {
            vertex.watching = Some(epoch);
            vertex.good = false;
            self.step(Event::Watching(key, epoch));
        }
        let vertex = self.live.get_mut(&key);
        if let Some(vertex) = vertex.filter(|_| fail)
            && let Some(epoch) = vertex.watching.take()
        {
            vertex.good = false;
            self.step(Event::WatchFailed(key, epoch, Failure::Refused("watch".to_owned())));
        }
    }

    fn act(&mut self) {
        match self.random.below(100) {
            0..40 => {
                if let Some(key) = self.some_key(|v| v.running.is_some()) {
                    let crash = self.faults && self.random.chance(3);
                    self.end(key, crash);
                }
            }
            40..60 => {
                if let Some(key) = self.some_key(|v| v.arming.is_some()) {
                    self.answer_watch(key, false);
                }
            }
            60..70 if self.faults => {
                if !self.resources.is_empty() {
                    let i = self.random.below(self.resources.len());
                    let id = self.resources[i].id.clone();
                    self.drifted.insert(id.clone());
                    self.fire(&id);
                }
            }
            70..73 if self.faults => {
                if let Some(key) = self.some_key(|v| v.watching.is_some()) {
                    self.answer_watch(key, true);
                }
            }
            73..77 if self.faults => self.new_graph(),
            77..79 if self.faults => self.boot(),
            79..81 if self.faults => {
                self.paused = !self.paused;
                self.step(if self.paused { Event::Pause } else { Event::Resume });
            }
            _ => {
                let due = self.engine.deadline().filter(|_| self.random.chance(70));
                self.now = due.map_or(self.now + Time::from_millis(1), |at| at.max(self.now));
                self.step(Event::Tick);
            }
        }
    }

    /// No more faults: everything that is not dead, noop or behind such a one must come into its state.
    fn come_to_rest(&mut self) {
        self.faults = false;
        if self.paused {
            self.paused = false;
            self.step(Event::Resume);
        }
        for resource in &mut self.resources {
            // A changed parameter revives the dead; `reset` gives them their attempts back.
            resource.params.insert("comment".into(), Value::str("last"));
            (resource.meta.retry, resource.meta.noop, resource.meta.reset) = (-1, false, true);
        }
        self.swap();
        for _ in 0..20_000 {
            let status = self.engine.status();
            if self.engine.is_quiet() && status.done == status.total {
                break;
            }
            self.act();
        }
        assert!(self.engine.is_quiet(), "the engine never comes to rest: {:?}", self.engine.status());
        let status = self.engine.status();
        assert_eq!(status.done, status.total, "all are in their state: {status:?}");
        let present: BTreeSet<&Arc<str>> = self.resources.iter().map(|r| &r.id.name).collect();
        let left: Vec<&ResourceId> = self.drifted.iter().filter(|id| present.contains(&id.name)).collect();
        assert!(left.is_empty(), "never repaired: {left:?}");
        assert!(self.owed.is_empty(), "never delivered: {:?}", self.owed);
        assert!(self.journal.is_empty(), "never forgotten: {:?}", self.journal);
    }
}

fn run(seed: u64) {
    let mut simulation = Simulation::new(seed);
    for _ in 0..simulation.random.below(300) + 20 {
        simulation.act();
    }
    simulation.come_to_rest();
}

#[test]
fn random_histories_keep_every_promise() {
    if let Ok(seed) = std::env::var("SEED") {
        return run(seed.parse().expect("SEED is a number"));
    }
    let from: u64 = std::env::var("FROM").map_or(0, |s| s.parse().unwrap());
    let seeds: u64 = std::env::var("SEEDS").map_or(3000, |s| s.parse().unwrap());
    for seed in from..from + seeds {
        if let Err(panic) = std::panic::catch_unwind(|| run(seed)) {
            eprintln!("the seed that failed: SEED={seed}");
            std::panic::resume_unwind(panic);
        }
    }
}
