//! How other threads talk to the agent's loop.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex};

use mcl_diagnostics::Diagnostic;
use rustix::event::{EventfdFlags, eventfd};

use crate::kinds::Failure;
use crate::resource_engine::{EngineGraph, StopLevel, VertexKey};
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

#[derive(Debug)]
struct Inner {
    wake: Option<OwnedFd>,
}

/// Cheap to clone; sends to one agent.
#[derive(Clone)]
pub struct Handle {
    messages: Arc<Mutex<Vec<Message>>>,
    inner: Arc<Inner>,
}

impl Handle {
    pub(super) fn new() -> Handle {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok();
        Handle { messages: Arc::default(), inner: Arc::new(Inner { wake }) }
    }

    /// Sends a message; the loop takes it at once.
    pub fn send(&self, message: Message) {
        let mut messages = self.messages.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let first = messages.is_empty();
        messages.push(message);
        drop(messages);
        if first && let Some(fd) = &self.inner.wake {
            // The only failure is a full counter, and then the loop is awake.
            let _ = rustix::io::write(fd, &1u64.to_ne_bytes());
        }
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.inner.wake.as_ref().map(AsFd::as_fd)
    }

    pub(super) fn take(&self) -> Vec<Message> {
        if let Some(fd) = &self.inner.wake {
            let mut buffer = [0u8; 8];
            let _ = rustix::io::read(fd, &mut buffer);
        }
        std::mem::take(&mut self.messages.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
