//! What the simulated agent knows of a vertex.

use resource_graph::Meta;

use crate::event::Time;
use crate::graph::Group;
use crate::simulator::declaration::{Name, claims, name_of};

/// The state of a vertex as the commands of the engine and the events for it imply.
pub(super) struct Live {
    pub(super) members: Vec<Name>,
    pub(super) meta: Meta,
    pub(super) propagates: bool,
    pub(super) claims: Vec<String>,
    pub(super) semaphores: Vec<String>,
    pub(super) is_reversal: bool,
    /// The epoch that was requested and not answered yet.
    pub(super) arming: Option<u32>,
    pub(super) watching: Option<u32>,
    /// Whether an event was delivered since the last check started.
    pub(super) event: bool,
    pub(super) running: Option<Running>,
    /// Whether the last check succeeded and no event was delivered since it started.
    pub(super) good: bool,
    pub(super) in_graph: bool,
    /// The numbers of the graph in which it began, and of the first one without it.
    pub(super) began: u64,
    pub(super) left: Option<u64>,
    /// The value that each member sent with the last success.
    pub(super) sent: Vec<Option<i64>>,
    /// The value that each member received last.
    pub(super) received: Vec<Option<i64>>,
    /// The members whose received value changed since the last success.
    pub(super) changed: Vec<usize>,
    /// The dependents of the checks since one that changed something and failed, and whether the agent recorded them.
    pub(super) unreported: Option<Vec<(Name, bool)>>,
    /// No check may start before, because of a failure.
    pub(super) not_before: Time,
    /// The number of failures since the last success, and of those that `Meta:retry` does not cover.
    pub(super) failures: (u32, u32),
}

/// A check that runs.
#[derive(Clone)]
pub(super) struct Running {
    pub(super) apply: bool,
    /// The notifications that it answers: their senders, and the numbers of the changes.
    pub(super) answers: Vec<(Name, u64)>,
    pub(super) notifies: Vec<Name>,
    /// The dependents of which it will say that it changed something.
    pub(super) made_change: Option<Vec<Name>>,
    pub(super) cancelled: bool,
    pub(super) killed: bool,
    /// Whether it ends only when it is killed.
    pub(super) stubborn: bool,
}

impl Live {
    /// Makes a vertex. `is_exclusive` says whether nothing else may touch what it touches while it is checked.
    pub(super) fn new(group: &Group, common_semaphore: Option<u32>, is_exclusive: bool, began: u64) -> Live {
        let members: Vec<Name> = group.iter().map(|resource| name_of(&resource.id)).collect();
        let mut semaphores: Vec<String> = group.iter().flat_map(|resource| resource.meta.sema.clone()).collect();
        semaphores.extend(common_semaphore.map(|n| format!(":{n}")));
        let exclusive = group.iter().filter(|_| is_exclusive).flat_map(claims);
        semaphores.extend(exclusive.map(|name| format!("{name}:1")));
        semaphores.sort();
        semaphores.dedup();
        Live {
            meta: (*group[0].meta).clone(),
            propagates: group[0].propagates_refresh,
            claims: group.iter().flat_map(claims).collect(),
            semaphores,
            is_reversal: group[0].origin.is_some(),
            arming: None,
            watching: None,
            event: false,
            running: None,
            good: false,
            in_graph: true,
            began,
            left: None,
            sent: vec![None; members.len()],
            received: vec![None; members.len()],
            changed: Vec::new(),
            unreported: None,
            not_before: Time::ZERO,
            failures: (0, 0),
            members,
        }
    }

    pub(super) fn leader(&self) -> Name {
        self.members[0]
    }

    pub(super) fn shares_a_member(&self, other: &Live) -> bool {
        self.members.iter().any(|name| other.members.contains(name))
    }

    pub(super) fn shares_a_claim(&self, other: &Live) -> bool {
        self.claims.iter().any(|claim| other.claims.contains(claim))
    }

    /// Whether its check ends by itself once there are no more faults. A stubborn one of a removed vertex has to be killed.
    pub(super) fn can_end(&self) -> bool {
        self.running.as_ref().is_some_and(|running| !running.stubborn || running.killed || self.in_graph)
    }

    /// Notes a success.
    pub(super) fn succeed(&mut self) {
        self.good = !self.event;
        self.failures = (0, 0);
        self.not_before = Time::ZERO;
        self.changed.clear();
    }
}
