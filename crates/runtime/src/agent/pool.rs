//! The worker threads.
//!
//! Checks that compute share a few threads: enough to keep a disk's queue filled while each waits for its own sync. Checks
//! that wait for a process or a daemon get a thread each, so that a hundred commands of ten seconds take ten seconds. How
//! many of them run at a time depends on the limits of the machine; the others queue.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use child_process::max_parallel_commands;
use resources::WorkerClass;

use crate::agent::job::{Done, Job};
use crate::agent::mailbox::{AgentHandle, DoneMessage, Message};

/// Maximum number of threads for checks that compute.
const MAX_CPU_THREADS: usize = 8;
/// Kinds recurse at most as deep as a directory tree, and that on the heap.
const STACK_BYTES: usize = 512 * 1024;
/// How long a worker is idle before it flushes. Flushing at once would delay the repair of a file that changes in the next
/// moment.
const IDLE_FLUSH_DELAY: Duration = Duration::from_millis(25);
/// How long flushing may be delayed while a worker is never idle.
const MAX_FLUSH_DELAY: Duration = Duration::from_secs(1);
/// How long an idle thread is kept.
const THREAD_KEEPALIVE: Duration = Duration::from_secs(10);

/// The workers, and the checks that wait to be submitted to them.
pub(super) struct Workers {
    cpu: WorkerPool,
    blocking: WorkerPool,
    /// Submitted together.
    batch: Vec<Job>,
}

/// Threads for one class of checks.
struct WorkerPool {
    shared: Arc<Shared>,
    max_threads: usize,
}

struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
    agent: AgentHandle,
    /// Called after checks, by a worker that has been idle for [`IDLE_FLUSH_DELAY`] or busy for [`MAX_FLUSH_DELAY`].
    flush: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Workers {
    /// Finished checks go to the agent; workers call `flush` some time after checks.
    pub(super) fn new(agent: &AgentHandle, flush: impl Fn() + Send + Sync + Clone + 'static) -> Workers {
        let pool = |max_threads| WorkerPool {
            shared: Arc::new(Shared {
                queue: Mutex::default(),
                ready: Condvar::new(),
                agent: agent.clone(),
                flush: Box::new(flush.clone()),
            }),
            max_threads,
        };
        Workers { cpu: pool(MAX_CPU_THREADS), blocking: pool(max_parallel_commands()), batch: Vec::new() }
    }

    /// Adds a check to the batch.
    pub(super) fn push(&mut self, job: Job) {
        self.batch.push(job);
    }

    /// Gives the batch to the workers.
    pub(super) fn submit(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        if self.batch.iter().any(|job| job.kind.worker_class() == WorkerClass::Blocking) {
            let (blocking, cpu): (Vec<Job>, Vec<Job>) = std::mem::take(&mut self.batch)
                .into_iter()
                .partition(|job| job.kind.worker_class() == WorkerClass::Blocking);
            self.batch = cpu;
            self.blocking.submit(blocking.into_iter());
        }
        self.cpu.submit(self.batch.drain(..));
    }

    /// Whether checks that compute are waiting for a worker.
    pub(super) fn has_backlog(&self) -> bool {
        !self.cpu.shared.lock().jobs.is_empty()
    }

    /// Cancels all checks that have not started, now and later.
    pub(super) fn close(&self) {
        self.cpu.shared.agent.close();
        for pool in [&self.cpu, &self.blocking] {
            let mut queue = pool.shared.lock();
            queue.closed = true;
            let jobs = std::mem::take(&mut queue.jobs);
            pool.shared.ready.notify_all();
            drop(queue);
            for job in jobs {
                pool.shared.send(job.cancelled());
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.close();
    }
}

impl WorkerPool {
    fn submit(&self, jobs: impl ExactSizeIterator<Item = Job>) {
        let count = jobs.len();
        if count == 0 {
            return;
        }
        let mut queue = self.shared.lock();
        if queue.closed {
            drop(queue);
            return jobs.for_each(|job| self.shared.send(job.cancelled()));
        }
        queue.jobs.extend(jobs);
        let woken = count.min(queue.idle);
        let wanted = queue.jobs.len().saturating_sub(queue.idle).min(self.max_threads - queue.threads);
        for _ in 0..wanted {
            let shared = self.shared.clone();
            let worker = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK_BYTES);
            if worker.spawn(move || shared.work()).is_err() {
                break;
            }
            queue.threads += 1;
        }
        if queue.threads > 0 {
            // Unlocked first, so that a woken thread does not have to wait for the lock.
            drop(queue);
            for _ in 0..woken {
                self.shared.ready.notify_one();
            }
        } else {
            // The system allows no thread: run the checks here.
            let jobs = std::mem::take(&mut queue.jobs);
            drop(queue);
            for job in jobs {
                self.shared.send(job.run());
            }
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, done: Done) {
        self.agent.send(Message::Done(DoneMessage(Box::new(done))));
    }

    /// Sends a result that may wait for others.
    fn send_deferred(&self, done: Done) {
        self.agent.send_deferred(Message::Done(DoneMessage(Box::new(done))));
    }

    fn work(&self) {
        let mut queue = self.lock();
        // The end of the first check since the last flush.
        let mut unflushed_since: Option<Instant> = None;
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                let last = queue.jobs.is_empty();
                drop(queue);
                let done = job.run();
                if unflushed_since.get_or_insert_with(Instant::now).elapsed() >= MAX_FLUSH_DELAY {
                    (self.flush)();
                    unflushed_since = None;
                }
                // While checks wait for a worker, the agent may take finished ones together.
                if last {
                    self.send(done)
                } else {
                    self.send_deferred(done)
                }
                self.agent.wait_for_capacity();
                queue = self.lock();
                continue;
            }
            if queue.closed {
                break;
            }
            queue.idle += 1;
            let timeout = if unflushed_since.is_some() { IDLE_FLUSH_DELAY } else { THREAD_KEEPALIVE };
            let (woken, timeout) = self.ready.wait_timeout(queue, timeout).unwrap_or_else(PoisonError::into_inner);
            queue = woken;
            queue.idle -= 1;
            if timeout.timed_out() && queue.jobs.is_empty() {
                if unflushed_since.take().is_none() {
                    break;
                }
                drop(queue);
                (self.flush)();
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
    use crate::agent::job::SharedContext;
    use resource_engine::{Group, VertexKey};
    use resources::{Cancel, build};

    #[test]
    fn workers_flush_some_time_after_the_last_check() {
        let (flush, flushed) = channel();
        let agent = AgentHandle::new();
        let mut workers = Workers::new(&agent, move || {
            let _ = flush.send(Instant::now());
        });
        let resources = Group::from(Resource::new(ResourceId::new("noop", "n")));
        let context = Arc::new(SharedContext::default());
        let job = |key| Job {
            key: VertexKey(key),
            kind: build(&resources).expect("a valid resource"),
            initialised: false,
            resources: resources.clone(),
            apply: true,
            refresh: false,
            flow: None,
            context: context.clone(),
            cancel: Cancel::new(),
            unseen: resources::Unseen::default(),
        };
        let submitted = Instant::now();
        for key in 0..20 {
            workers.push(job(key));
        }
        workers.submit();
        let at = flushed.recv_timeout(Duration::from_secs(10)).expect("within the deadline");
        assert!(at - submitted >= IDLE_FLUSH_DELAY, "flushed too early: {:?}", at - submitted);
        let mut done = 0;
        while done < 20 && submitted.elapsed() < Duration::from_secs(10) {
            done += agent.take().iter().filter(|m| matches!(m, Message::Done(_))).count();
            std::thread::yield_now();
        }
        assert_eq!(done, 20);
    }
}
