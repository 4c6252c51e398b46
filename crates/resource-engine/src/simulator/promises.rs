//! What the engine promises: conditions that the world checks on its own account.

use std::time::Duration;

use crate::event::Time;
use crate::key::VertexKey;
use crate::semaphores::capacity;
use crate::simulator::declaration::{NAMES, Name};
use crate::simulator::world::World;

/// The last attempt of a back-off is followed by one after an event within this time (spec 06 §3.7).
const MAX_EVENT_DELAY: Duration = Duration::from_secs(10);

impl World {
    /// What is owed survives a crash: it is in the journal under the name of a member of each group.
    pub(super) fn check_journal(&self) {
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

    /// The next attempt is as spec 06 §3.7 says.
    pub(super) fn check_failure(
        &mut self,
        key: VertexKey,
        retry: Option<(Time, i32)>,
        attempt: u32,
        next: Option<Time>,
    ) {
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
    pub(super) fn check_start(&self, key: VertexKey, refresh: bool) {
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

    pub(super) fn check_order(&self, key: VertexKey) {
        let name = self.live[key.index()].as_ref().expect("created").leader();
        let edges = &self.edges;
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

    /// A crash between two commands loses no notification: a record leads to its receiver, or to its sender, which passes it on.
    pub(super) fn check_crash(&self) {
        let members = |leader: Name| self.members.iter().find(|members| members[0] == leader);
        for from in (0..NAMES).filter(|_| !self.noop) {
            for to in (0..NAMES).filter(|to| self.owed[from][*to] > 0) {
                let (Some(sources), Some(targets)) = (members(from), members(to)) else { continue };
                let leads_there = |name: &Name| sources.contains(name) || targets.contains(name);
                assert!(self.journal.iter().any(|(_, b)| leads_there(b)), "the crash loses r{from} => r{to}");
            }
        }
    }
}
