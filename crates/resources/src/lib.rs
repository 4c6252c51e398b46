//! The implementations of resource kinds: what each one checks, repairs and watches (spec 05 §6), and what the agent
//! keeps under its prefix (`state`, spec 06 §8).
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
mod bus;
mod context;
mod export;
#[cfg(test)]
mod harness;
mod kind;
mod params;
mod providers;
mod retry;
mod reversal;
mod shared;
mod state;
mod systemd;
mod text_file;
mod tool;
mod unsupported;
mod watch;

pub use accounts::{group_id, user_id};
pub use context::{
    Cancel, CancelLevel, Change, CheckOutcome, CheckRequest, Context, Diff, Host, ManagedPaths, PendingSyncs,
};
pub use export::exports;
pub use kind::{Kind, Load};
pub use params::Params;
pub use providers::{Constructor, ExitRequest, build, is_refreshable, package_files};
pub use resource_engine::{Failure, Sent};
pub use reversal::{Reversals, is_reversal};
pub use shared::{SharedValues, Subscriber};
pub use state::{RefreshJournal, StateDir, StateError, default_prefix, functions_dir, hostname};
pub use watch::{Listen, Scope, Task, TaskHandle, Wake, Watch};

use state::{make_temporary, temporary_beside, write_atomically};
