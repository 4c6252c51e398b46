//! The workers.
//!
//! Checks that work share a few threads: enough to keep a disk's queue filled while each waits for its own sync. Checks
//! that wait for something else get a thread each, so that a hundred commands of ten seconds take ten seconds.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use resources::Load;

use crate::shell::job::{Done, Job};
use crate::shell::mailbox::{DoneMessage, Handle, Message};

/// Threads for checks that work.
const WORKERS: usize = 8;
/// Threads for checks that wait; beyond that they queue.
const WAITERS: usize = 512;
/// Kinds recurse at most as deep as a directory tree, and that on the heap.
const STACK: usize = 512 * 1024;
/// How long a thread has nothing to do before it sees to what can wait: not at once, since that would hold up a file that
/// is damaged in the next moment.
const QUIET: Duration = Duration::from_millis(25);
/// How long that may wait while a thread always has something to do.
const LATEST: Duration = Duration::from_secs(1);
/// How long an idle thread stays.
const LINGER: Duration = Duration::from_secs(10);

pub(super) struct Pool {
    working: Lane,
    waiting: Lane,
}

struct Lane {
    shared: Arc<Shared>,
    limit: usize,
}

struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
    outbox: Handle,
    /// Called by a worker that has had nothing to do for a moment, or no such moment for long.
    when_idle: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Pool {
    pub(super) fn new(outbox: &Handle, when_idle: impl Fn() + Send + Sync + Clone + 'static) -> Pool {
        let lane = |limit| Lane {
            shared: Arc::new(Shared {
                queue: Mutex::default(),
                ready: Condvar::new(),
                outbox: outbox.clone(),
                when_idle: Box::new(when_idle.clone()),
            }),
            limit,
        };
        Pool { working: lane(WORKERS), waiting: lane(WAITERS) }
    }

    /// Hands the checks to workers; none is left.
    pub(super) fn submit(&self, jobs: &mut Vec<Job>) {
        if jobs.is_empty() {
            return;
        }
        if jobs.iter().any(|job| job.kind.load() == Load::Waits) {
            let (waiting, working): (Vec<Job>, Vec<Job>) =
                std::mem::take(jobs).into_iter().partition(|job| job.kind.load() == Load::Waits);
            *jobs = working;
            self.waiting.submit(waiting.into_iter());
        }
        self.working.submit(jobs.drain(..));
    }

    /// Whether workers have more to do than what they are doing.
    pub(super) fn is_backlogged(&self) -> bool {
        !self.working.shared.lock().jobs.is_empty()
    }

    /// Gives back all checks that have not begun; later ones are given back at once.
    pub(super) fn close(&self) {
        for lane in [&self.working, &self.waiting] {
            let mut queue = lane.shared.lock();
            queue.closed = true;
            let jobs = std::mem::take(&mut queue.jobs);
            lane.shared.ready.notify_all();
            drop(queue);
            for job in jobs {
                lane.shared.answer(job.give_back(), true);
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Lane {
    fn submit(&self, jobs: impl ExactSizeIterator<Item = Job>) {
        let count = jobs.len();
        if count == 0 {
            return;
        }
        let mut queue = self.shared.lock();
        if queue.closed {
            drop(queue);
            return jobs.for_each(|job| self.shared.answer(job.give_back(), true));
        }
        queue.jobs.extend(jobs);
        let woken = count.min(queue.idle);
        let wanted = queue.jobs.len().saturating_sub(queue.idle).min(self.limit - queue.threads);
        for _ in 0..wanted {
            let shared = self.shared.clone();
            let worker = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK);
            if worker.spawn(move || shared.work()).is_err() {
                break;
            }
            queue.threads += 1;
        }
        if queue.threads > 0 {
            // Whoever is woken finds the queue free.
            drop(queue);
            for _ in 0..woken {
                self.shared.ready.notify_one();
            }
        } else {
            // Not one thread can be had: better slow than never.
            let jobs = std::mem::take(&mut queue.jobs);
            drop(queue);
            for job in jobs {
                self.shared.answer(job.run(), true);
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, done: Done, urgent: bool) {
        let message = Message::Done(DoneMessage(Box::new(done)));
        match urgent {
            true => self.outbox.send(message),
            false => self.outbox.send_patiently(message),
        }
    }

    fn work(&self) {
        let mut queue = self.lock();
        // When the first of the checks ended after which `when_idle` was not called yet.
        let mut since: Option<Instant> = None;
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                let last = queue.jobs.is_empty();
                drop(queue);
                let done = job.run();
                if since.get_or_insert_with(Instant::now).elapsed() >= LATEST {
                    (self.when_idle)();
                    since = None;
                }
                // While others wait for a worker, the loop can take what ended in one go.
                self.answer(done, last);
                queue = self.lock();
                continue;
            }
            if queue.closed {
                break;
            }
            queue.idle += 1;
            let patience = if since.is_some() { QUIET } else { LINGER };
            let (woken, timeout) = self.ready.wait_timeout(queue, patience).unwrap_or_else(PoisonError::into_inner);
            queue = woken;
            queue.idle -= 1;
            if timeout.timed_out() && queue.jobs.is_empty() {
                if since.take().is_none() {
                    break;
                }
                drop(queue);
                (self.when_idle)();
                queue = self.lock();
            }
        }
        queue.threads -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use resource_graph::{Resource, ResourceId};

    use super::*;
    use crate::shell::job::Surroundings;
    use resource_engine::{Group, VertexKey};
    use resources::{Cancel, Host, build};

    #[test]
    fn what_can_wait_is_seen_to_soon_after_the_last_check() {
        let (seen, was_seen) = channel();
        let outbox = Handle::new();
        let pool = Pool::new(&outbox, move || {
            let _ = seen.send(Instant::now());
        });
        let resources = Group::from(Resource::new(ResourceId::new("noop", "n")));
        let host = Arc::new(Surroundings { host: Host::default(), journal: None });
        let job = |key| Job {
            key: VertexKey(key),
            kind: build(&resources).expect("a valid resource"),
            initialised: false,
            resources: resources.clone(),
            apply: true,
            refresh: false,
            flow: None,
            host: host.clone(),
            cancel: Cancel::new(),
        };
        let asked = Instant::now();
        pool.submit(&mut (0..20).map(job).collect());
        let at = was_seen.recv_timeout(Duration::from_secs(10)).expect("within the deadline");
        assert!(at - asked >= QUIET, "not while the next check may be about to come: {:?}", at - asked);
        let mut done = 0;
        while done < 20 && asked.elapsed() < Duration::from_secs(10) {
            done += outbox.take().iter().filter(|m| matches!(m, Message::Done(_))).count();
            std::thread::yield_now();
        }
        assert_eq!(done, 20);
    }
}
