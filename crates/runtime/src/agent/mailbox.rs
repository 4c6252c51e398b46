//! Messages from other threads to the agent.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use mcl_artifact::program::Program;
use mcl_diagnostics::Diagnostic;
use resource_engine::{EngineGraph, GraphPatch, StopLevel, VertexKey};
use resources::Failure;
use rustix::event::{EventfdFlags, eventfd};

use crate::agent::job::Done;

/// A message to the agent.
pub enum Message {
    /// A new graph to apply.
    Graph(Box<EngineGraph>),
    /// What changes of the graph before.
    Patch(Box<GraphPatch>),
    /// A graph source failed; the running graph stays in force.
    SourceFailed(Vec<Diagnostic>),
    /// Diagnostics that belong to no resource and do not end the run.
    Problems(Vec<Diagnostic>),
    /// SIGHUP was handled: the program of the next graphs, if it was loaded again.
    Reloaded(Option<Arc<Program>>),
    /// A request to stop, as if by SIGINT.
    Stop(StopLevel),
    /// A check finished.
    #[doc(hidden)]
    Done(DoneMessage),
    /// A task of a vertex, started for this epoch, reports an event, or ended with an error.
    #[doc(hidden)]
    Task(VertexKey, u32, Option<Failure>),
}

/// A finished check, opaque outside the agent.
pub struct DoneMessage(pub(super) Box<Done>);

/// Number of messages that wake the loop even while it defers wakeups.
const MAX_DEFERRED_MESSAGES: usize = 1024;
/// Number of messages from which on workers wait until the loop has taken them. So the memory for the results of checks does
/// not depend on how much faster the workers are.
const MAX_WAITING_MESSAGES: usize = 4096;

struct Inner {
    queue: Mutex<Queue>,
    /// Signals that the queue is short again.
    taken: Condvar,
    wake: Option<OwnedFd>,
    /// Whether the agent asked for a whole graph.
    is_graph_requested: AtomicBool,
    /// Wakes the source of the graphs.
    wake_source: OnceLock<WakeSource>,
}

type WakeSource = Box<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Queue {
    messages: Vec<Message>,
    /// Whether the loop was woken since it last took messages.
    woken: bool,
    /// Whether the loop is about to wake by itself, so that finished checks need not wake it.
    deferring: bool,
    /// Whether the loop may take no more messages, so that nobody waits for it.
    closed: bool,
}

impl Queue {
    /// Whether workers have to wait.
    fn is_full(&self) -> bool {
        self.messages.len() >= MAX_WAITING_MESSAGES && !self.closed
    }
}

/// Whether a message wakes a loop that defers wakeups.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wakeup {
    Now,
    Deferred,
}

/// Sends messages to one agent. Cheap to clone.
#[derive(Clone)]
pub struct AgentHandle {
    inner: Arc<Inner>,
}

impl AgentHandle {
    pub(super) fn new() -> AgentHandle {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok();
        let (is_graph_requested, wake_source) = (AtomicBool::new(false), OnceLock::new());
        let (queue, taken) = (Mutex::default(), Condvar::new());
        AgentHandle { inner: Arc::new(Inner { queue, taken, wake, is_graph_requested, wake_source }) }
    }

    /// Sets how to wake the source of the graphs. Only the first call has an effect.
    pub(crate) fn on_graph_request(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.inner.wake_source.set(Box::new(wake));
    }

    /// Asks the source for a whole graph, even if nothing changes.
    pub(super) fn request_graph(&self) {
        self.inner.is_graph_requested.store(true, Ordering::Relaxed);
        if let Some(wake) = self.inner.wake_source.get() {
            wake();
        }
    }

    /// Returns whether the agent asked for a whole graph since this was called last.
    pub(crate) fn take_graph_request(&self) -> bool {
        self.inner.is_graph_requested.swap(false, Ordering::Relaxed)
    }

    /// Sends a message and wakes the loop.
    pub fn send(&self, message: Message) {
        self.push(message, Wakeup::Now);
    }

    /// Sends a message without waking a loop that defers wakeups.
    pub(super) fn send_deferred(&self, message: Message) {
        self.push(message, Wakeup::Deferred);
    }

    /// Waits while many messages are in the queue. The loop itself must not call this.
    pub(super) fn wait_for_capacity(&self) {
        let queue = self.inner.taken.wait_while(self.lock(), |queue| queue.is_full());
        drop(queue.unwrap_or_else(PoisonError::into_inner));
    }

    /// Ends all waiting for capacity, now and later.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.inner.taken.notify_all();
    }

    fn push(&self, message: Message, wakeup: Wakeup) {
        let mut queue = self.lock();
        queue.messages.push(message);
        let is_due = wakeup == Wakeup::Now || !queue.deferring || queue.messages.len() >= MAX_DEFERRED_MESSAGES;
        let wake = is_due && !queue.woken;
        queue.woken |= wake;
        drop(queue);
        if wake && let Some(fd) = &self.inner.wake {
            // Writing fails only if the counter is full, and then the loop is awake.
            let _ = rustix::io::write(fd, &1u64.to_ne_bytes());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.inner.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Readable when there are messages; `None` if the process had no descriptor left.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inner.wake.as_ref().map(AsFd::as_fd)
    }

    /// Defers wakeups by finished checks until the next [`AgentHandle::take`], which the caller makes soon.
    pub(super) fn defer_wakeups(&self) {
        self.lock().deferring = true;
    }

    /// Takes all messages.
    pub(super) fn take(&self) -> Vec<Message> {
        let mut queue = self.lock();
        queue.deferring = false;
        if std::mem::take(&mut queue.woken)
            && let Some(fd) = &self.inner.wake
        {
            // The sender may not have written yet; then the loop wakes once without a message.
            let mut buffer = [0u8; 8];
            let _ = rustix::io::read(fd, &mut buffer);
        }
        let messages = std::mem::take(&mut queue.messages);
        drop(queue);
        if messages.len() >= MAX_WAITING_MESSAGES {
            self.inner.taken.notify_all();
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    fn is_woken(handle: &AgentHandle) -> bool {
        let fd = handle.fd().expect("a descriptor");
        poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(1)
    }

    #[test]
    fn deferred_wakeups_are_skipped_except_for_urgent_messages() {
        let handle = AgentHandle::new();
        let ended = || Message::Problems(Vec::new());
        handle.defer_wakeups();
        handle.send_deferred(ended());
        assert!(!is_woken(&handle));
        handle.send(Message::Stop(StopLevel::Finish));
        assert!(is_woken(&handle));
        assert_eq!(handle.take().len(), 2);
        assert!(!is_woken(&handle));
        handle.send_deferred(ended());
        assert!(is_woken(&handle), "deferring ends when messages are taken");
    }

    #[test]
    fn workers_wait_until_messages_are_taken_or_the_mailbox_is_closed() {
        for unblock in [|handle: &AgentHandle| drop(handle.take()), AgentHandle::close] {
            let handle = AgentHandle::new();
            handle.wait_for_capacity();
            (0..MAX_WAITING_MESSAGES).for_each(|_| handle.send_deferred(Message::Problems(Vec::new())));
            assert!(handle.lock().is_full());
            let waiting = handle.clone();
            let worker = std::thread::spawn(move || waiting.wait_for_capacity());
            unblock(&handle);
            worker.join().expect("the worker goes on");
            assert!(!handle.lock().is_full());
        }
    }

    #[test]
    fn many_deferred_messages_wake_the_loop() {
        let handle = AgentHandle::new();
        handle.defer_wakeups();
        for _ in 0..MAX_DEFERRED_MESSAGES {
            assert!(!is_woken(&handle));
            handle.send_deferred(Message::Problems(Vec::new()));
        }
        assert!(is_woken(&handle));
    }
}
