//! Counting semaphores (spec 06 §3.8).

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::key::VertexKey;

/// The number of semaphores that are not looked through for unused ones.
const MIN_PRUNED: usize = 16;

/// All semaphores in use.
#[derive(Clone, Debug, Default)]
pub(super) struct Semaphores {
    table: FxHashMap<Arc<str>, Semaphore>,
    last_ticket: u64,
    /// The number of semaphores after the last look for unused ones.
    used: usize,
}

#[derive(Clone, Debug)]
struct Semaphore {
    capacity: u32,
    free: u32,
    /// Those that wait, the longest first.
    waiting: BTreeMap<Ticket, VertexKey>,
}

/// A place in the queue of a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket(u64);

/// Returns the number after the last colon, or 1 if there is no positive number.
pub(super) fn capacity(id: &str) -> u32 {
    let size = id.rsplit_once(':').and_then(|(_, n)| n.parse::<u32>().ok());
    size.filter(|n| *n > 0).unwrap_or(1)
}

impl Semaphores {
    /// Acquires one unit.
    ///
    /// # Errors
    /// None is free; the vertex is in the queue.
    pub(super) fn acquire(&mut self, id: &Arc<str>, key: VertexKey) -> Result<(), Ticket> {
        let semaphore = self.table.entry(id.clone()).or_insert_with(|| {
            let capacity = capacity(id);
            Semaphore { capacity, free: capacity, waiting: BTreeMap::new() }
        });
        if semaphore.free > 0 {
            semaphore.free -= 1;
            return Ok(());
        }
        self.last_ticket += 1;
        semaphore.waiting.insert(Ticket(self.last_ticket), key);
        Err(Ticket(self.last_ticket))
    }

    /// Releases one unit. If a vertex waits for it, that vertex acquires it and is returned.
    pub(super) fn release(&mut self, id: &Arc<str>) -> Option<VertexKey> {
        let semaphore = self.table.get_mut(id)?;
        if let Some((_, next)) = semaphore.waiting.pop_first() {
            return Some(next);
        }
        semaphore.free += 1;
        None
    }

    /// Leaves the queue of a semaphore.
    pub(super) fn forget(&mut self, id: &Arc<str>, ticket: Ticket) {
        if let Some(semaphore) = self.table.get_mut(id) {
            semaphore.waiting.remove(&ticket);
        }
    }

    /// Drops the semaphores that nobody holds. They are made again on their next use.
    pub(super) fn prune(&mut self) {
        self.table.retain(|_, semaphore| semaphore.free < semaphore.capacity);
        self.used = self.table.len();
    }

    /// Does the same if there are many more semaphores than after the last time, so that the cost for each new one is constant.
    pub(super) fn prune_if_grown(&mut self) {
        if self.table.len() > 2 * self.used + MIN_PRUNED {
            self.prune();
        }
    }

    /// Returns the number of units held of each semaphore, without those of which none is.
    #[cfg(test)]
    pub(super) fn held(&self) -> std::collections::BTreeMap<Arc<str>, u32> {
        let held = self.table.iter().map(|(id, semaphore)| (id.clone(), semaphore.capacity - semaphore.free));
        held.filter(|(_, held)| *held > 0).collect()
    }

    /// Whether no vertex waits for a semaphore with a free unit.
    #[cfg(test)]
    pub(super) fn are_used(&self) -> bool {
        self.table.values().all(|semaphore| semaphore.free == 0 || semaphore.waiting.is_empty())
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacity_is_the_number_after_the_last_colon() {
        let capacities = ["foo", "foo:", "foo:0", "foo:x", "foo:3", "a:2:4", ":5"].map(capacity);
        assert_eq!(capacities, [1, 1, 1, 1, 3, 4, 5]);
    }

    #[test]
    fn unit_goes_to_the_vertex_that_waited_longest() {
        let mut semaphores = Semaphores::default();
        let id: Arc<str> = "s".into();
        let [a, b, c, d] = [1, 2, 3, 4].map(VertexKey);
        assert!(semaphores.acquire(&id, a).is_ok());
        let tickets = [b, c, d].map(|key| semaphores.acquire(&id, key).unwrap_err());
        semaphores.forget(&id, tickets[1]);
        assert_eq!(
            [semaphores.release(&id), semaphores.release(&id), semaphores.release(&id)],
            [Some(b), Some(d), None]
        );
        assert!(semaphores.acquire(&id, a).is_ok());
    }

    #[test]
    fn unused_semaphores_take_no_memory() {
        let mut semaphores = Semaphores::default();
        let id: Arc<str> = "s".into();
        assert!(semaphores.acquire(&id, VertexKey(1)).is_ok());
        semaphores.prune();
        assert_eq!(semaphores.len(), 1);
        semaphores.release(&id);
        semaphores.prune();
        assert_eq!(semaphores.len(), 0);
    }
}
