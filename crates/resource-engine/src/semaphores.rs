//! Counting semaphores (spec 06 §3.8).

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::key::VertexKey;

/// All semaphores. They are made on first use and kept.
#[derive(Debug, Default)]
pub(super) struct Semaphores {
    table: FxHashMap<Arc<str>, Semaphore>,
}

#[derive(Debug)]
struct Semaphore {
    free: u32,
    waiting: VecDeque<VertexKey>,
}

/// Returns the number after the last colon, or 1 if there is no positive number.
pub(super) fn capacity(id: &str) -> u32 {
    let size = id.rsplit_once(':').and_then(|(_, n)| n.parse::<u32>().ok());
    size.filter(|n| *n > 0).unwrap_or(1)
}

impl Semaphores {
    /// Acquires one unit and returns `true`, or queues the vertex and returns `false`.
    pub(super) fn acquire(&mut self, id: &Arc<str>, key: VertexKey) -> bool {
        let semaphore =
            self.table.entry(id.clone()).or_insert_with(|| Semaphore { free: capacity(id), waiting: VecDeque::new() });
        if semaphore.free > 0 {
            semaphore.free -= 1;
            return true;
        }
        semaphore.waiting.push_back(key);
        false
    }

    /// Releases one unit. If a vertex waits for it, that vertex acquires it and is returned.
    pub(super) fn release(&mut self, id: &Arc<str>) -> Option<VertexKey> {
        let semaphore = self.table.get_mut(id)?;
        let next = semaphore.waiting.pop_front();
        if next.is_none() {
            semaphore.free += 1;
        }
        next
    }

    /// Removes a vertex from the queue of a semaphore.
    pub(super) fn forget(&mut self, id: &Arc<str>, key: VertexKey) {
        if let Some(semaphore) = self.table.get_mut(id) {
            semaphore.waiting.retain(|k| *k != key);
        }
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
        let [a, b, c] = [1, 2, 3].map(VertexKey);
        assert!(semaphores.acquire(&id, a) && !semaphores.acquire(&id, b) && !semaphores.acquire(&id, c));
        assert_eq!(
            [semaphores.release(&id), semaphores.release(&id), semaphores.release(&id)],
            [Some(b), Some(c), None]
        );
        assert!(semaphores.acquire(&id, a));
    }
}
