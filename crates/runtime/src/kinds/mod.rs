//! The implementations of resource kinds: what each one checks, repairs and watches (spec 05 §6).
//!
//! A kind is a [`Kind`] object made from a resource (and the members grouped into it) by [`build`]. The engine's core
//! never sees it: the core decides *when* a vertex is checked, the shell calls [`Kind::check_apply`] on a worker thread.
//! What a kind may rely on:
//!
//! * its calls never overlap, and run only after everything in [`Kind::watches`] is being watched;
//! * [`Kind::init`] runs once, before the first check, and may fail (the failure is retried like any other);
//! * [`Kind::update`] is called when a received value changed a parameter; private state survives.
//!
//! What a kind must do: announce every change through [`Context::change`] *before* making it, and make it only if the
//! answer is `true`. So one rule gives noop, `plan`, the line a person reads, and the refresh that survives a crash: the
//! first announcement writes down that dependents may have to be refreshed. A check that announces nothing found the
//! resource right.

mod accounts;
mod archive;
mod authorized_key;
mod bus;
mod context;
mod cron;
mod exec;
mod exit;
mod export;
mod failure;
mod file;
#[cfg(test)]
mod harness;
mod hostname;
mod json_edit;
mod kv;
mod line;
mod mount;
mod msg;
mod net;
mod noop;
mod params;
mod password;
mod pkg;
mod print;
mod registry;
mod reversal;
mod schedule;
mod shared;
mod svc;
mod sysctl;
mod systemd;
mod test;
mod text_file;
mod timer;
mod tool;
mod unsupported;
mod user;
mod value;

pub use accounts::{group_id, user_id};
pub use context::{Cancel, CancelLevel, Change, Context, Diff, Host, ManagedPaths, PendingSyncs, Sent};
pub use exit::ExitRequest;
pub(crate) use export::exports;
pub use failure::Failure;
pub use params::Params;
pub use pkg::package_files;
pub use registry::{Constructor, build, is_refreshable};
pub use reversal::{Reversals, is_reversal};
pub use shared::{SharedValues, Subscriber};

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use resource_graph::Resource;

/// A resource (with the members grouped into it) that can be brought into its state and kept there.
pub trait Kind: Send {
    /// Runs once before the first check; the place for what may fail but needs no repetition.
    ///
    /// # Errors
    /// Counts as a failed check.
    fn init(&mut self, _cx: &mut Context<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Checks the state and, where [`Context::change`] allows, repairs it. Must converge in one call.
    ///
    /// # Errors
    /// Whatever kept the resource from being brought into its state.
    fn check_apply(&mut self, cx: &mut Context<'_>) -> Result<(), Failure>;

    /// What may change the state behind our back. Asked for after construction and after each [`Kind::update`].
    fn watches(&self) -> Vec<Watch> {
        Vec::new()
    }

    /// Takes over changed parameters: the leader first, then its members, in the order given at construction.
    ///
    /// # Errors
    /// The new parameters are not valid.
    fn update(&mut self, resources: &[Resource]) -> Result<(), Failure>;

    /// How the kind spends the time of a check; decides which workers run it.
    fn load(&self) -> Load {
        Load::Works
    }

    /// Runs once after the vertex left the graph and its last check ended.
    fn cleanup(&mut self) {}
}

/// How a kind spends the time of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Computes and does short system calls: shares a few workers with all others.
    Works,
    /// Mostly waits for something else (a process, a daemon): gets a worker of its own.
    Waits,
}

/// A source of events for one resource.
pub enum Watch {
    /// Something at this path changed.
    Path(PathBuf, Scope),
    /// Time passed.
    Every(Duration),
    /// A task with a thread of its own, for sources that are neither paths nor clocks (a command's output, a bus).
    /// Returning an error counts as a failed watch; returning `Ok` before it was cancelled ends the source silently.
    Task(Task),
    /// A source that many resources share, with a thread of its own already (a message bus).
    Listen(Listen),
}

/// See [`Watch::Listen`]: called with what has to be called for each event; the source ends when the result is dropped.
pub type Listen = Box<dyn FnOnce(Wake) -> Box<dyn Send> + Send>;

/// Tells the engine of an event.
pub type Wake = Box<dyn Fn() + Send + Sync>;

/// See [`Watch::Task`].
pub type Task = Box<dyn FnOnce(&TaskHandle) -> Result<(), Failure> + Send>;

/// How much below a path is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The object itself: its appearance, disappearance, content and attributes.
    Entry,
    /// Also the entries of a directory.
    Children,
    /// Also everything below a directory.
    Recursive,
}

/// What a [`Watch::Task`] holds of the engine.
pub struct TaskHandle {
    /// Set when the task has to end.
    pub cancel: Arc<Cancel>,
    /// Called for each event.
    pub wake: Wake,
}
