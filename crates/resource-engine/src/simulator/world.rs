//! The simulated agent and machine: what they know independently of the engine, and what the engine promises to them.

use std::collections::{BTreeMap, BTreeSet};

use resource_graph::Resource;

use crate::event::{Command, Event, Report, StopLevel, Time};
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::simulator::declaration::{Declaration, Members, NAMES, Name, claims, id, name_of, refreshable};
use crate::simulator::random::Random;
use crate::simulator::vertex::Live;
use crate::{Config, Engine};

pub(super) struct World {
    pub(super) engine: Engine,
    pub(super) now: Time,
    pub(super) live: Vec<Option<Live>>,
    pub(super) declaration: Declaration,
    /// The vertices of the graph in force, the edges between their leaders, and the transfers between resources.
    pub(super) members: Members,
    pub(super) edges: BTreeMap<(Name, Name), bool>,
    pub(super) transfers: Vec<(Name, Name)>,
    /// What is not in its state.
    pub(super) drifted: [bool; NAMES],
    /// The notifications that must still reach a vertex: by sender and receiver, the number of the last change; 0 for none.
    pub(super) owed: [[u64; NAMES]; NAMES],
    pub(super) changes: u64,
    pub(super) graphs: u64,
    /// What the agent wrote down.
    pub(super) journal: BTreeSet<(Name, Name)>,
    /// The resources that have to be reverted when they leave the graph.
    pub(super) reversible: [bool; NAMES],
    /// The attempts of `Meta:retry` that were used.
    pub(super) used: [u32; NAMES],
    pub(super) faults: bool,
    pub(super) paused: bool,
    /// The agent crashes in the next step, after this number of commands.
    pub(super) crash_after: Option<usize>,
    pub(super) stopping: bool,
    pub(super) stopped: bool,
    pub(super) once: bool,
    pub(super) noop: bool,
    pub(super) max_parallel: Option<u32>,
    /// Whether what touches the same thing must not run at the same time.
    pub(super) exclusive: bool,
    /// Check the invariants of the engine after every step, not only after some.
    pub(super) thorough: bool,
    pub(super) steps: u64,
    pub(super) values: i64,
    /// What happened, if it is to be shown.
    pub(super) trace: Option<Vec<String>>,
}

impl World {
    pub(super) fn new(seed: u64, thorough: bool) -> World {
        let mut random = Random::new(seed);
        let mut world = World {
            engine: Engine::new(Config::default()),
            now: Time::ZERO,
            live: Vec::new(),
            declaration: Declaration::default(),
            members: Vec::new(),
            edges: BTreeMap::new(),
            transfers: Vec::new(),
            drifted: std::array::from_fn(|_| random.chance(50)),
            owed: [[0; NAMES]; NAMES],
            changes: 0,
            graphs: 0,
            journal: BTreeSet::new(),
            reversible: [false; NAMES],
            used: [0; NAMES],
            faults: true,
            paused: false,
            crash_after: None,
            stopping: false,
            stopped: false,
            once: false,
            noop: false,
            max_parallel: None,
            exclusive: false,
            thorough,
            steps: 0,
            values: 0,
            trace: None,
        };
        world.boot(&mut random);
        world
    }

    pub(super) fn log(&mut self, line: impl FnOnce(&World) -> String) {
        let Some(mut trace) = self.trace.take() else { return };
        trace.push(format!("{:?}: {}", self.now, line(self)));
        self.trace = Some(trace);
    }

    /// Starts an engine with what an earlier one left behind. Running checks of that one are gone.
    pub(super) fn boot(&mut self, random: &mut Random) {
        self.once = self.faults && random.chance(8);
        self.noop = self.faults && random.chance(3);
        self.max_parallel = random.pick(&[None, None, Some(1), Some(2)]);
        self.exclusive = random.chance(30);
        let undelivered = self.journal.iter().filter(|_| !self.noop).map(|(from, to)| (id(*from), id(*to))).collect();
        self.engine = Engine::new(Config {
            noop: self.noop,
            once: self.once,
            converged_timeout: random.pick(&[None, Some(Time::from_millis(10))]),
            refreshable: Some(refreshable),
            claims: Some(claims),
            exclusive: self.exclusive.then_some(claims),
            max_parallel: self.max_parallel,
            max_starts_per_step: random.pick(&[None, Some(1), Some(3)]),
            undelivered,
            ..Config::default()
        });
        self.log(|w| format!("start, once {}, noop {}, max_parallel {:?}", w.once, w.noop, w.max_parallel));
        self.now = Time::ZERO;
        self.live.clear();
        self.members.clear();
        self.used = [0; NAMES];
        (self.paused, self.stopping, self.stopped) = (false, false, false);
        self.new_graph(random);
    }

    pub(super) fn new_graph(&mut self, random: &mut Random) {
        if self.stopping {
            return;
        }
        if self.faults {
            self.declaration.change(random);
        }
        self.swap(random);
    }

    pub(super) fn swap(&mut self, random: &mut Random) {
        let is_first = self.members.is_empty() && self.live.is_empty();
        let mut graph = self.declaration.graph(random);
        let old = std::mem::replace(&mut self.members, self.declaration.members());
        for name in (0..NAMES).filter(|name| self.reversible[*name] && !self.declaration.contains(*name)) {
            graph.add_before(World::reversal(name), []);
            self.members.push(vec![name]);
        }
        self.replace_graph(Event::Swap(Box::new(graph)), &old, is_first);
    }

    pub(super) fn reversal(name: Name) -> Resource {
        let mut reversal = Resource::new(id(name)).with("comment", "reversal");
        reversal.origin = Some("reversal".into());
        reversal
    }

    /// Lets the engine take a new graph or a patch. `old` are the members of the vertices before.
    pub(super) fn replace_graph(&mut self, event: Event, old: &Members, is_first: bool) {
        self.graphs += 1;
        self.edges = self.declaration.leader_edges();
        self.transfers = self.declaration.transfers().collect();
        self.log(|w| format!("graph {:?}, edges {:?}", w.members, w.edges));
        let commands = self.engine.step(event, self.now);
        let reported = commands.iter().any(|c| matches!(c, Command::Report(Report::Swapped { .. })));
        assert!(reported, "a swap is reported");
        let in_force: Vec<VertexKey> = self.engine.live().map(|(key, _)| key).collect();
        for (index, live) in self.live.iter_mut().enumerate() {
            if let Some(live) = live {
                let key = VertexKey(index as u32);
                // A key may belong to another vertex already.
                let is_removed = commands.iter().any(|c| matches!(c, Command::Remove(removed) if *removed == key));
                live.in_graph = in_force.contains(&key) && !is_removed;
                if !live.in_graph {
                    live.left.get_or_insert(self.graphs);
                }
            }
        }
        self.restore_budgets();
        self.translate_owed(old, is_first);
        self.promise_new_dependents();
        for command in commands {
            self.execute(command);
        }
        self.check_step();
    }

    /// The attempts of a resource start anew if it was gone, or if it is replaced and asks for that.
    fn restore_budgets(&mut self) {
        for name in 0..NAMES {
            let Some(members) = self.members.iter().find(|members| members[0] == name) else {
                self.used[name] = 0;
                continue;
            };
            let is_kept = self.live.iter().flatten().any(|live| live.in_graph && live.members == *members);
            if !is_kept && self.declaration.resets(name) {
                self.used[name] = 0;
            }
        }
    }

    /// A notification lives as long as an edge from a vertex with its sender, or one that was grouped with it, to a vertex with
    /// its receiver.
    fn translate_owed(&mut self, old: &Members, is_first: bool) {
        let mut pairs = Vec::new();
        if is_first {
            self.owed = [[0; NAMES]; NAMES];
            let journal = self.journal.iter().filter(|_| !self.noop);
            for (from, to) in journal {
                pairs.push((vec![*from], vec![*to], 1, None));
            }
            self.changes += 1;
        }
        let with = |name: Name| {
            let vertex = old.iter().find(|members| members.contains(&name));
            vertex.cloned().unwrap_or_else(|| vec![name])
        };
        for from in 0..NAMES {
            for to in 0..NAMES {
                if self.owed[from][to] > 0 {
                    pairs.push((with(from), with(to), self.owed[from][to], Some((from, to))));
                }
            }
        }
        for live in self.live.iter_mut().flatten().filter(|live| !live.in_graph && live.running.is_none()) {
            for (to, _) in live.unreported.take().into_iter().flatten() {
                pairs.push((live.members.clone(), with(to), self.changes, None));
            }
        }
        self.owed = [[0; NAMES]; NAMES];
        let mut answered: Vec<(VertexKey, Vec<(Name, u64)>)> = Vec::new();
        let edges = &self.edges;
        for (sources, targets, change, origin) in pairs {
            for (&(from, to), _) in edges.iter().filter(|(_, notify)| **notify) {
                let contains = |leader: Name, names: &[Name]| {
                    self.members.iter().any(|m| m[0] == leader && m.iter().any(|name| names.contains(name)))
                };
                if !contains(from, &sources) || !contains(to, &targets) || !self.declaration.listens(to) {
                    continue;
                }
                self.owed[from][to] = self.owed[from][to].max(change.max(1));
                let Some((old_from, old_to)) = origin else { continue };
                for (index, live) in self.live.iter().enumerate() {
                    let Some(live) = live.as_ref().filter(|live| live.in_graph && live.leader() == to) else {
                        continue;
                    };
                    let answers = live.running.as_ref().map_or(&[][..], |running| &running.answers);
                    if old_to == to
                        && let Some(answer) =
                            answers.iter().filter(|(name, _)| *name == old_from).map(|(_, answer)| answer).max()
                    {
                        answered.push((VertexKey(index as u32), vec![(from, *answer)]));
                    }
                }
            }
        }
        for live in self.live.iter_mut().flatten().filter(|live| live.in_graph) {
            if let Some(running) = &mut live.running {
                running.answers.clear();
            }
        }
        for (key, answers) in answered {
            if let Some(running) = self.live[key.index()].as_mut().and_then(|live| live.running.as_mut()) {
                running.answers.extend(answers);
            }
        }
    }

    /// A check that runs may have changed something already, and one that failed has: the agent records new dependents.
    fn promise_new_dependents(&mut self) {
        for live in self.live.iter_mut().flatten().filter(|live| live.in_graph) {
            let from = live.members[0];
            let notified =
                self.edges.iter().filter(|(pair, notify)| pair.0 == from && **notify).map(|(pair, _)| pair.1);
            let dependents: Vec<Name> = notified.filter(|to| self.declaration.listens(*to)).collect();
            let running = live.running.as_mut().filter(|running| running.apply);
            if let Some(promised) = live.unreported.as_mut() {
                promised.extend(dependents.iter().map(|to| (*to, true)));
            }
            let Some(running) = running else { continue };
            if let Some(promised) = running.made_change.as_mut() {
                promised.extend(&dependents);
            }
            running.notifies.extend(dependents);
        }
    }

    pub(super) fn step(&mut self, event: Event) {
        let commands = self.engine.step(event, self.now);
        let crash_after = self.crash_after.take();
        for (index, command) in commands.into_iter().enumerate() {
            if crash_after == Some(index) {
                self.log(|_| "crash".to_owned());
                self.check_crash();
                return self.boot(&mut Random::new(self.changes));
            }
            self.execute(command);
        }
        self.check_step();
    }

    fn check_step(&mut self) {
        self.steps += 1;
        if !self.thorough && !self.steps.is_multiple_of(16) {
            return;
        }
        self.engine.assert_invariants();
        let running = self.live.iter().flatten().filter(|live| live.running.is_some()).count();
        assert_eq!(self.engine.running, running, "the engine knows what runs");
        assert_eq!(self.stopped, self.stopping && running == 0, "stopped when nothing runs");
        if !self.noop {
            self.check_journal();
        }
    }

    pub(super) fn vertex(&mut self, key: VertexKey) -> &mut Live {
        self.live[key.index()].as_mut().expect("created")
    }

    fn execute(&mut self, command: Command) {
        self.log(|w| {
            let name = |key: &VertexKey| {
                let live = w.live.get(key.index()).and_then(Option::as_ref);
                live.map_or(String::new(), |live| format!(" r{}", live.leader()))
            };
            match &command {
                Command::Run { key, apply, refresh, .. } => {
                    format!("  run{} apply {apply} refresh {refresh}", name(key))
                }
                Command::Create(key, group) => format!("  create {key:?} {}", group[0].id),
                Command::Report(Report::Failed { key, next_attempt, .. }) => {
                    format!("  failed{} next {next_attempt:?}", name(key))
                }
                other => format!("  {other:?}"),
            }
        });
        match command {
            Command::Create(key, group) => {
                if self.live.len() <= key.index() {
                    self.live.resize_with(key.index() + 1, || None);
                }
                let slot = &mut self.live[key.index()];
                assert!(slot.is_none(), "a slot is not reused while in use");
                *slot = Some(Live::new(&group, self.max_parallel, self.exclusive, self.graphs));
            }
            Command::Watch(key, epoch) => {
                assert!(!self.once, "nothing is watched if everything is checked once");
                let vertex = self.vertex(key);
                assert!(vertex.meta.poll == 0 && !vertex.meta.hidden);
                (vertex.arming, vertex.watching) = (Some(epoch), None);
            }
            Command::Unwatch(key) => {
                let vertex = self.vertex(key);
                (vertex.arming, vertex.watching) = (None, None);
            }
            Command::Run { key, apply, refresh, updates, changed, notifies } => {
                self.check_start(key, refresh);
                self.receive(key, &updates);
                let mut members: Vec<usize> = changed.iter().map(|(member, _)| *member).collect();
                members.sort_unstable();
                self.vertex(key).changed.sort_unstable();
                assert_eq!(members, self.vertex(key).changed, "the parameters that changed since the last success");
                self.begin(key, apply, notifies.iter().map(name_of).collect());
            }
            Command::Cancel(key) | Command::Kill(key) => {
                let is_kill = matches!(command, Command::Kill(_));
                let running = self.vertex(key).running.as_mut().expect("only a running check is cancelled");
                running.cancelled = true;
                running.killed |= is_kill;
            }
            Command::Remove(key) => {
                let old = self.live[key.index()].take().expect("created");
                assert!(old.running.is_none(), "r{} is removed while it runs", old.leader());
                assert!(!old.in_graph, "r{} is removed although it is in the graph", old.leader());
            }
            Command::Record { from, to } => {
                self.journal.insert((name_of(&from), name_of(&to)));
            }
            Command::Delivered { from, to } => {
                self.journal.remove(&(name_of(&from), name_of(&to)));
            }
            Command::Report(report) => self.note(report),
        }
    }

    fn note(&mut self, report: Report) {
        match report {
            Report::Failed { key, failure, retry, attempt, since, next_attempt, watch } => {
                assert!(since <= self.now && next_attempt.is_none_or(|at| at >= self.now));
                self.vertex(key).good = false;
                if watch {
                    return assert!(next_attempt.is_some(), "a failed watch is requested again");
                }
                if matches!(failure, Failure::NothingSent(_)) {
                    self.check_order(key);
                }
                self.check_failure(key, retry, attempt, next_attempt);
            }
            Report::Unknown { key, .. } => {
                let vertex = self.vertex(key);
                vertex.event = false;
                vertex.succeed();
                vertex.sent.iter_mut().for_each(|value| *value = None);
                // In noop, an unknown result counts as success.
                let (name, refills) = (vertex.leader(), vertex.meta.retryreset);
                if refills {
                    self.used[name] = 0;
                }
            }
            Report::Stopped => {
                assert!(self.stopping && !self.stopped, "stopped once, on request");
                self.stopped = true;
            }
            Report::Swapped { .. } | Report::Converged | Report::Diverged => {}
        }
    }

    pub(super) fn drift(&mut self, name: Name) {
        self.drifted[name] = true;
        self.fire(name);
    }

    /// The watches of a resource report an event.
    pub(super) fn fire(&mut self, name: Name) {
        let found = self.live.iter().position(|live| {
            live.as_ref().is_some_and(|v| v.in_graph && v.members.contains(&name) && v.watching.is_some())
        });
        let Some(index) = found else { return };
        let key = VertexKey(index as u32);
        let vertex = self.vertex(key);
        (vertex.event, vertex.good) = (true, false);
        self.log(|_| format!("r{name} has an event"));
        self.step(Event::Fired(key));
    }

    pub(super) fn answer_watch(&mut self, key: VertexKey) {
        let vertex = self.vertex(key);
        let Some(epoch) = vertex.arming.take() else { return };
        vertex.watching = Some(epoch);
        (vertex.event, vertex.good) = (true, false);
        self.log(|_| format!("{key:?} is watched"));
        self.step(Event::Watching(key, epoch));
    }

    pub(super) fn fail_watch(&mut self, key: VertexKey) {
        let vertex = self.vertex(key);
        let Some(epoch) = vertex.watching.take().or(vertex.arming.take()) else { return };
        (vertex.event, vertex.good) = (true, false);
        self.log(|_| format!("{key:?} cannot be watched"));
        self.step(Event::WatchFailed(key, epoch, Failure::Refused("watch".to_owned())));
    }

    pub(super) fn toggle_pause(&mut self) {
        self.paused = !self.paused;
        let event = if self.paused { Event::Pause } else { Event::Resume };
        self.log(|_| format!("{event:?}"));
        self.step(event);
    }

    pub(super) fn stop(&mut self, level: StopLevel) {
        self.stopping = true;
        self.log(|_| format!("stop: {level:?}"));
        self.step(Event::Stop(level));
    }

    /// Time passes, up to the next deadline of the engine if that comes first.
    pub(super) fn pass(&mut self, time: Time) {
        let deadline = self.engine.deadline().unwrap_or(Time::MAX).max(self.now);
        self.now = deadline.min(self.now + time);
        self.step(Event::Tick);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Whether checks of removed vertices run.
    pub(super) fn has_removed(&self) -> bool {
        self.live.iter().flatten().any(|live| !live.in_graph)
    }

    pub(super) fn is_checking_once(&self) -> bool {
        self.once || self.noop
    }

    /// Returns a vertex for which the predicate holds.
    pub(super) fn choose(&self, random: &mut Random, wanted: impl Fn(&Live) -> bool) -> Option<VertexKey> {
        let wanted = |live: &&Option<Live>| live.as_ref().is_some_and(&wanted);
        let count = self.live.iter().filter(wanted).count();
        let number = if count > 0 { random.below(count) } else { return None };
        let mut found = self.live.iter().enumerate().filter(|(_, live)| wanted(live));
        found.nth(number).map(|(index, _)| VertexKey(index as u32))
    }
}
