//! How other threads talk to the agent's loop.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcl_diagnostics::Diagnostic;
use resource_engine::{EngineGraph, StopLevel, VertexKey};
use resources::Failure;
use rustix::event::{EventfdFlags, eventfd};

use crate::shell::job::Done;

/// Something for the loop.
pub enum Message {
    /// A new graph to apply.
    Graph(Box<EngineGraph>),
    /// The source of graphs failed; the running graph stays in force.
    SourceFailed(Vec<Diagnostic>),
    /// Warnings that belong to no resource.
    Problems(Vec<Diagnostic>),
    /// Stop, as if by ctrl-C.
    Stop(StopLevel),
    /// A check ended.
    #[doc(hidden)]
    Done(DoneMessage),
    /// A task of a vertex reports an event, or ended with an error.
    #[doc(hidden)]
    Task(VertexKey, u32, Option<Failure>),
}

/// A check that ended; only the shell looks inside.
pub struct DoneMessage(pub(super) Box<Done>);

/// So many checks that ended wake the loop even if it is patient.
const MANY: usize = 1024;

struct Inner {
    queue: Mutex<Queue>,
    wake: Option<OwnedFd>,
}

#[derive(Default)]
struct Queue {
    messages: Vec<Message>,
    /// The loop was woken since it took messages last.
    rung: bool,
    /// The loop wakes by itself in a moment: checks that ended need not wake it.
    patient: bool,
}

/// Cheap to clone; sends to one agent.
#[derive(Clone)]
pub struct Handle {
    inner: Arc<Inner>,
}

impl Handle {
    pub(super) fn new() -> Handle {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok();
        Handle { inner: Arc::new(Inner { queue: Mutex::default(), wake }) }
    }

    /// Sends a message; the loop takes it at once.
    pub fn send(&self, message: Message) {
        self.push(message, true);
    }

    /// Sends the end of one check of many: a loop that is patient takes it with the others.
    pub(super) fn send_patiently(&self, message: Message) {
        self.push(message, false);
    }

    fn push(&self, message: Message, urgent: bool) {
        let mut queue = self.lock();
        queue.messages.push(message);
        let ring = !queue.rung && (urgent || !queue.patient || queue.messages.len() >= MANY);
        queue.rung |= ring;
        drop(queue);
        if ring && let Some(fd) = &self.inner.wake {
            // The only failure is a full counter, and then the loop is awake.
            let _ = rustix::io::write(fd, &1u64.to_ne_bytes());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.inner.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inner.wake.as_ref().map(AsFd::as_fd)
    }

    /// Until the next [`Handle::take`], which comes in a moment, only urgent messages wake the loop.
    pub(super) fn be_patient(&self) {
        self.lock().patient = true;
    }

    pub(super) fn take(&self) -> Vec<Message> {
        let mut queue = self.lock();
        queue.patient = false;
        if std::mem::take(&mut queue.rung)
            && let Some(fd) = &self.inner.wake
        {
            // Whoever rang may not have written yet: then the loop wakes once for nothing.
            let mut buffer = [0u8; 8];
            let _ = rustix::io::read(fd, &mut buffer);
        }
        std::mem::take(&mut queue.messages)
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    fn is_rung(handle: &Handle) -> bool {
        let fd = handle.fd().expect("a descriptor");
        poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(1)
    }

    #[test]
    fn patient_loop_is_woken_by_urgent_messages_only() {
        let handle = Handle::new();
        let ended = || Message::Problems(Vec::new());
        handle.be_patient();
        handle.send_patiently(ended());
        assert!(!is_rung(&handle));
        handle.send(Message::Stop(StopLevel::Finish));
        assert!(is_rung(&handle));
        assert_eq!(handle.take().len(), 2);
        assert!(!is_rung(&handle));
        handle.send_patiently(ended());
        assert!(is_rung(&handle), "it is patient only until it takes messages");
    }

    #[test]
    fn very_many_messages_wake_a_patient_loop() {
        let handle = Handle::new();
        handle.be_patient();
        for _ in 0..MANY {
            assert!(!is_rung(&handle));
            handle.send_patiently(Message::Problems(Vec::new()));
        }
        assert!(is_rung(&handle));
    }
}
