//! The simulated agent and machine: what they know independently of the engine, and what the engine promises to them.

use std::collections::BTreeSet;

use mcl_value::Value;
use resource_graph::Resource;

use crate::event::{Command, Event, Finished, Received, Report, Sent, StopLevel, Time};
use crate::failure::Failure;
use crate::key::VertexKey;
use crate::semaphores::capacity;
use crate::simulator::declaration::{Declaration, Members, NAMES, Name, claims, id, name_of, refreshable};
use crate::simulator::random::Random;
use crate::simulator::vertex::{Live, Running};
use crate::{Config, Engine};

/// The last attempt of a back-off is followed by one after an event within this time (spec 06 §3.7).
const MAX_EVENT_DELAY: Time = Time::from_secs(10);

pub(super) struct World {
    pub(super) engine: Engine,
    pub(super) now: Time,
    live: Vec<Option<Live>>,
    pub(super) declaration: Declaration,
    /// The vertices of the graph in force.
    members: Members,
    /// What is not in its state.
    drifted: [bool; NAMES],
    /// The notifications that must still reach a vertex: by sender and receiver, the number of the last change; 0 for none.
    owed: [[u64; NAMES]; NAMES],
    changes: u64,
    graphs: u64,
    /// What the agent wrote down.
    journal: BTreeSet<(Name, Name)>,
    /// The resources that have to be reverted when they leave the graph.
    reversible: [bool; NAMES],
    /// The attempts of `Meta:retry` that were used.
    used: [u32; NAMES],
    pub(super) faults: bool,
    pub(super) paused: bool,
    stopping: bool,
    stopped: bool,
    once: bool,
    noop: bool,
    max_parallel: Option<u32>,
    /// Check the invariants of the engine after every step, not only after some.
    thorough: bool,
    steps: u64,
    values: i64,
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
            drifted: std::array::from_fn(|_| random.chance(50)),
            owed: [[0; NAMES]; NAMES],
            changes: 0,
            graphs: 0,
            journal: BTreeSet::new(),
            reversible: [false; NAMES],
            used: [0; NAMES],
            faults: true,
            paused: false,
            stopping: false,
            stopped: false,
            once: false,
            noop: false,
            max_parallel: None,
            thorough,
            steps: 0,
            values: 0,
            trace: None,
        };
        world.boot(&mut random);
        world
    }

    pub(super) fn log(&mut self, line: impl FnOnce(&World) -> String) {
        if self.trace.is_some() {
            let line = format!("{:?}: {}", self.now, line(self));
            self.trace.as_mut().expect("checked above").push(line);
        }
    }

    /// Starts an engine with what an earlier one left behind. Running checks of that one are gone.
    pub(super) fn boot(&mut self, random: &mut Random) {
        self.once = self.faults && random.chance(8);
        self.noop = self.faults && random.chance(3);
        self.max_parallel = random.pick(&[None, None, Some(1), Some(2)]);
        let undelivered = self.journal.iter().filter(|_| !self.noop).map(|(from, to)| (id(*from), id(*to))).collect();
        self.engine = Engine::new(Config {
            noop: self.noop,
            once: self.once,
            converged_timeout: random.pick(&[None, Some(Time::from_millis(10))]),
            refreshable: Some(refreshable),
            claims: Some(claims),
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
        self.graphs += 1;
        let is_first = self.members.is_empty() && self.live.is_empty();
        let mut graph = self.declaration.graph(random);
        let old = std::mem::replace(&mut self.members, self.declaration.members());
        for name in (0..NAMES).filter(|name| self.reversible[*name] && !self.declaration.contains(*name)) {
            let mut reversal = Resource::new(id(name)).with("comment", "reversal");
            reversal.origin = Some("reversal".into());
            graph.add_isolated(reversal);
            self.members.push(vec![name]);
        }
        self.log(|w| format!("graph {:?}, edges {:?}", w.members, w.declaration.leader_edges()));
        let commands = self.engine.step(Event::Swap(Box::new(graph)), self.now);
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
        self.translate_owed(&old, is_first);
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
        let edges = self.declaration.leader_edges();
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
                        && let Some((_, answer)) = answers.iter().find(|(name, _)| *name == old_from)
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

    pub(super) fn step(&mut self, event: Event) {
        for command in self.engine.step(event, self.now) {
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

    /// What is owed survives a crash: it is in the journal under the name of a member of each group.
    fn check_journal(&self) {
        let members = |leader: Name| self.members.iter().find(|members| members[0] == leader);
        for from in 0..NAMES {
            for to in (0..NAMES).filter(|to| self.owed[from][*to] > 0) {
                let (Some(sources), Some(targets)) = (members(from), members(to)) else { continue };
                let is_recorded = self.journal.iter().any(|(a, b)| sources.contains(a) && targets.contains(b));
                assert!(is_recorded, "r{from} => r{to} is owed but not recorded");
            }
        }
        for live in self.live.iter().flatten() {
            let promised = live.unreported.iter().flatten().filter(|(_, is_recorded)| *is_recorded).map(|(to, _)| to);
            let promised = promised.chain(live.running.iter().filter_map(|r| r.made_change.as_ref()).flatten());
            for to in promised {
                let from = live.leader();
                assert!(self.journal.contains(&(from, *to)), "the change of r{from} for r{to} is not recorded");
            }
        }
    }

    fn vertex(&mut self, key: VertexKey) -> &mut Live {
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
                *slot = Some(Live::new(&group, self.max_parallel, self.graphs));
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
            }
            Report::Stopped => {
                assert!(self.stopping && !self.stopped, "stopped once, on request");
                self.stopped = true;
            }
            Report::Swapped { .. } | Report::Converged | Report::Diverged => {}
        }
    }

    /// The next attempt is as spec 06 §3.7 says.
    fn check_failure(&mut self, key: VertexKey, retry: Option<(Time, i32)>, attempt: u32, next: Option<Time>) {
        let (now, once) = (self.now, self.once);
        let name = self.vertex(key).leader();
        let used = &mut self.used[name];
        let left = i64::from(self.live[key.index()].as_ref().expect("created").meta.retry) - i64::from(*used);
        *used = used.saturating_add(1);
        let vertex = self.vertex(key);
        vertex.failures.0 += 1;
        assert_eq!(attempt, vertex.failures.0, "the number of failures of r{name} in a row");
        let delay = Time::from_millis(vertex.meta.delay);
        if vertex.meta.retry < 0 || left > 0 {
            let left = if vertex.meta.retry < 0 { -1 } else { left as i32 - 1 };
            assert_eq!((retry, next), (Some((delay, left)), Some(now + delay)));
            vertex.not_before = now + delay;
        } else if once {
            assert_eq!((retry, next), (None, None));
            vertex.not_before = Time::MAX;
        } else {
            let back_off = Time::from_secs((1u64 << vertex.failures.1.min(20)).min(300));
            vertex.failures.1 += 1;
            assert_eq!((retry, next), (None, Some(now + back_off)));
            vertex.not_before = now + back_off.min(MAX_EVENT_DELAY);
        }
    }

    /// All prerequisites are in their state, nothing touches the same thing, and the semaphores are free.
    fn check_start(&self, key: VertexKey, refresh: bool) {
        assert!(!self.paused && !self.stopping, "a check starts while paused or stopping");
        let vertex = self.live[key.index()].as_ref().expect("created");
        let name = vertex.leader();
        assert!(vertex.in_graph && vertex.running.is_none(), "r{name} is checked twice at the same time");
        let needs_watch = !self.once && vertex.meta.poll == 0 && !vertex.meta.hidden;
        assert!(!needs_watch || vertex.watching.is_some(), "r{name} is checked before its watch is ready");
        assert!(self.now >= vertex.not_before, "r{name} is checked too soon after a failure");
        for other in self.live.iter().flatten().filter(|other| other.running.is_some()) {
            assert!(!vertex.shares_a_member(other), "r{name} is checked while r{} is", other.leader());
            // One that was in the graph before the other left does not wait for it.
            let is_new = needs_watch && other.left.is_some_and(|left| left <= vertex.began);
            assert!(!is_new || !vertex.shares_a_claim(other), "r{name} touches what r{} does", other.leader());
        }
        for sema in &vertex.semaphores {
            let holders = self.live.iter().flatten().filter(|v| v.running.is_some() && v.semaphores.contains(sema));
            assert!(holders.count() < capacity(sema) as usize, "semaphore {sema} is held too often");
        }
        self.check_order(key);
        let senders: Vec<Name> = (0..NAMES).filter(|from| self.owed[*from][name] > 0).collect();
        let listens = self.declaration.listens(name);
        assert_eq!(refresh, listens && !senders.is_empty(), "r{name} is owed a refresh by {senders:?}");
    }

    fn check_order(&self, key: VertexKey) {
        let name = self.live[key.index()].as_ref().expect("created").leader();
        let edges = self.declaration.leader_edges();
        let (mut todo, mut seen) = (vec![name], [false; NAMES]);
        while let Some(at) = todo.pop() {
            for &(from, _) in edges.keys().filter(|(_, to)| *to == at) {
                if std::mem::replace(&mut seen[from], true) {
                    continue;
                }
                todo.push(from);
                if self.declaration.is_hidden(from) {
                    continue;
                }
                let first = self.live.iter().flatten().find(|v| v.in_graph && v.leader() == from).expect("a vertex");
                assert!(first.running.is_none(), "r{name} is checked while r{from} is");
                assert!(first.good, "r{name} is checked before r{from} succeeded");
            }
        }
    }

    /// The receiver has the values that its senders sent last.
    fn receive(&mut self, key: VertexKey, updates: &[Received]) {
        let vertex = self.vertex(key);
        for update in updates {
            assert_ne!(vertex.received[update.member].map(Value::Int), Some(update.value.clone()), "a new value");
            vertex.received[update.member] = update.value.as_int();
            if !vertex.changed.contains(&update.member) {
                vertex.changed.push(update.member);
            }
        }
        let vertex = self.live[key.index()].as_ref().expect("created");
        let mut senders = [None; NAMES];
        for (from, to) in self.declaration.transfers() {
            senders[to] = Some(from);
        }
        for (name, received) in vertex.members.iter().zip(&vertex.received) {
            let Some(from) = senders[*name] else {
                assert_eq!(*received, None, "r{name} has a value of a transfer that is gone");
                continue;
            };
            let sender =
                self.live.iter().flatten().find(|v| v.in_graph && v.members.contains(&from)).expect("a sender");
            let member = sender.members.iter().position(|name| *name == from).expect("found above");
            assert!(sender.sent[member].is_some(), "r{name} is checked without a value from r{from}");
            assert_eq!(*received, sender.sent[member], "r{name} has the value of r{from}");
        }
    }

    fn begin(&mut self, key: VertexKey, apply: bool, notifies: Vec<Name>) {
        let (noop, faults) = (self.noop, self.faults);
        let changes = self.changes;
        let vertex = self.live[key.index()].as_mut().expect("created");
        assert_eq!(apply, !noop && !vertex.meta.noop);
        let name = vertex.leader();
        let answers = (0..NAMES).filter(|from| self.owed[*from][name] > 0).map(|from| (from, self.owed[from][name]));
        let answers = answers.filter(|_| apply).collect();
        let edges = self.declaration.leader_edges();
        let expected: Vec<Name> = (0..NAMES)
            .filter(|to| apply && edges.get(&(name, *to)) == Some(&true) && self.declaration.listens(*to))
            .collect();
        let mut sorted = notifies.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, expected, "the dependents that r{name} notifies");
        vertex.event = false;
        if apply && vertex.meta.reverse {
            vertex.members.iter().for_each(|name| self.reversible[*name] = true);
        }
        // Deterministic, and independent of other actions.
        let stubborn = faults && (changes + key.0 as u64 + self.now.as_millis() as u64).is_multiple_of(13);
        let (cancelled, killed, made_change) = (false, false, None);
        vertex.running = Some(Running { apply, answers, notifies, made_change, cancelled, killed, stubborn });
    }

    /// A running check makes a change: the agent records it first.
    pub(super) fn make_change(&mut self, key: VertexKey) {
        let vertex = self.live[key.index()].as_mut().expect("chosen from the live ones");
        let (members, name) = (vertex.members.clone(), vertex.leader());
        let Some(running) = vertex.running.as_mut().filter(|r| r.apply && r.made_change.is_none()) else { return };
        if !members.iter().any(|name| self.drifted[*name]) {
            return;
        }
        self.journal.extend(running.notifies.iter().map(|to| (name, *to)));
        running.made_change = Some(running.notifies.clone());
        members.iter().for_each(|name| self.drifted[*name] = false);
        self.log(|_| format!("r{name} changes"));
    }

    /// Ends a running check.
    pub(super) fn end(&mut self, key: VertexKey, random: &mut Random) {
        let vertex = self.live[key.index()].as_ref().expect("chosen from the live ones");
        let running = vertex.running.clone().expect("runs");
        if running.stubborn && !running.killed && (self.faults || !vertex.in_graph) {
            return;
        }
        let fails = if running.cancelled { random.chance(80) } else { self.faults && random.chance(25) };
        let drifted = vertex.members.iter().any(|name| self.drifted[*name]);
        if !fails || random.chance(30) {
            self.make_change(key);
        }
        let values: Vec<Option<i64>> =
            self.vertex(key).sent.clone().into_iter().map(|old| self.value(old, random)).collect();
        let vertex = self.live[key.index()].as_mut().expect("chosen from the live ones");
        let running = vertex.running.take().expect("runs");
        let (name, in_graph, propagates) = (vertex.leader(), vertex.in_graph, vertex.propagates);
        let changed = running.made_change.is_some();
        let mut sent = Vec::new();
        let result = if fails { Err(Failure::Cancelled) } else { Ok(()) };
        if fails {
            if changed || vertex.unreported.is_some() {
                let promised = vertex.unreported.get_or_insert_default();
                promised.extend(running.notifies.iter().map(|to| (*to, changed)));
            }
        } else {
            vertex.sent.clone_from(&values);
            let value =
                |(member, value): (usize, &Option<i64>)| Sent { member, key: "out", value: value.map(Value::Int) };
            sent = values.iter().enumerate().map(value).collect();
            vertex.succeed();
        }
        let promised = match changed || vertex.unreported.is_some() {
            true if !fails || !in_graph => {
                let mut promised: Vec<Name> =
                    vertex.unreported.take().into_iter().flatten().map(|(to, _)| to).collect();
                promised.extend(&running.notifies);
                Some(promised)
            }
            true | false => None,
        };
        if !fails && in_graph && vertex.meta.retryreset {
            self.used[name] = 0;
        }
        let is_done_reversal = !fails && vertex.is_reversal && running.apply;
        if is_done_reversal {
            self.reversible[name] = false;
        }
        let members = vertex.members.clone();
        self.changes += 1;
        if !fails && in_graph && running.apply {
            for (from, change) in &running.answers {
                if self.owed[*from][name] == *change {
                    self.owed[*from][name] = 0;
                }
            }
        }
        let passes_on = !fails && in_graph && running.apply && propagates && !running.answers.is_empty();
        if promised.is_some() || passes_on {
            self.owe(&members, in_graph, &promised.unwrap_or_default());
        }
        self.log(|_| format!("r{name} ends, fails {fails}, changed {changed}, in graph {in_graph}"));
        let changed = changed || (drifted && !running.apply);
        self.step(Event::Finished(key, Finished { changed, sent, result }));
        if running.made_change.is_some() {
            // The change is an event, too.
            self.fire(name);
        }
    }

    /// The dependents of a vertex that changed have to be refreshed. If it left the graph, those that were recorded.
    fn owe(&mut self, members: &[Name], in_graph: bool, recorded: &[Name]) {
        for ((from, to), notify) in self.declaration.leader_edges() {
            let is_source = self.members.iter().any(|m| m[0] == from && m.iter().any(|name| members.contains(name)));
            let is_source = if in_graph { from == members[0] } else { is_source };
            let target = self.members.iter().find(|m| m[0] == to).expect("a vertex");
            let is_target = in_graph || target.iter().any(|name| recorded.contains(name));
            if notify && is_source && is_target && self.declaration.listens(to) {
                self.owed[from][to] = self.changes;
            }
        }
    }

    fn value(&mut self, old: Option<i64>, random: &mut Random) -> Option<i64> {
        self.values += 1;
        match random.below(10) {
            0 if self.faults => None,
            0..3 => Some(self.values),
            _ => old.or(Some(self.values)),
        }
    }

    pub(super) fn drift(&mut self, name: Name) {
        self.drifted[name] = true;
        self.fire(name);
    }

    /// The watches of a resource report an event.
    fn fire(&mut self, name: Name) {
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

    /// Everything is in its state, and nothing is left of what happened before.
    pub(super) fn check_rest(&self) {
        let status = self.engine.status();
        assert!(self.engine.is_quiet() && status.done == status.total, "not all are in their state: {status:?}");
        let left: Vec<Name> =
            (0..NAMES).filter(|name| self.drifted[*name] && self.declaration.contains(*name)).collect();
        assert!(left.is_empty(), "never repaired: {left:?}");
        assert_eq!(self.owed, [[0; NAMES]; NAMES], "never delivered");
        assert!(self.journal.is_empty(), "never forgotten: {:?}", self.journal);
        for live in self.live.iter().flatten() {
            assert!(live.in_graph && live.running.is_none(), "r{} never ends", live.leader());
        }
    }
}

impl Live {
    fn succeed(&mut self) {
        self.good = !self.event;
        self.failures = (0, 0);
        self.not_before = Time::ZERO;
        self.changed.clear();
    }
}
