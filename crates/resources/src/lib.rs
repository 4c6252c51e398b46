//! The providers of resource kinds, which check, repair and watch resources (spec 05 §6), and the state that the agent keeps
//! under its prefix (spec 06 §8).
//!
//! [`build`] makes a [`Provider`] from a resource and the members grouped into it. The engine decides *when* a resource is
//! checked; the agent then calls [`Provider::check_apply`] on a worker thread. A provider may rely on these guarantees:
//!
//! * calls never overlap, and checks run only while everything in [`Provider::watches`] is being watched;
//! * [`Provider::init`] runs once before the first check and may fail, and is retried like a check;
//! * [`Provider::update`] is called when a received value changed a parameter; private state survives it.
//!
//! In return, a provider announces every change through [`Context::change`] *before* making it, and makes it only if the
//! result is `true`. This single rule provides noop, `plan`, the progress output, and notifications that survive a crash:
//! the first announcement records which dependents must be refreshed. A check without announcements found the resource
//! in its declared state.

mod accounts;
mod bus;
mod change;
mod context;
mod digest;
mod exit_request;
mod export;
mod file_access;
mod home;
mod params;
mod planned_accounts;
mod process;
mod provider;
#[cfg(test)]
mod provider_test;
mod providers;
mod retry;
mod reversal;
mod shared;
#[cfg(test)]
mod simulated_kernel;
mod state;
mod systemd;
mod text_file;
mod tool;
mod unsupported;
mod watch;

pub use accounts::{group_number, primary_groups, user_number};
pub use change::{Change, Diff, Uncertainty};
pub use context::{
    ApplyContext, Cancel, CancelLevel, CheckOutcome, CheckRequest, Context, ManagedPaths, PendingSyncs, Permit,
    PlanSettings, Unseen,
};
pub use digest::{Digest, DigestSalt, Digests};
pub use exit_request::ExitRequest;
pub use export::exports;
pub use home::expand_home;
pub use params::Params;
pub use provider::{Effects, Provider, WorkerClass};
pub use providers::{Constructor, build, is_refreshable, package_files};
pub use resource_engine::{Failure, Sent};
pub use reversal::{Reversals, is_reversal};
pub use shared::{OfferedValue, SharedValues, Subscriber};
pub use state::{RefreshJournal, StateDir, StateError, default_prefix, functions_dir, hostname, overlay_files};
pub use watch::{Listen, Scope, Task, TaskHandle, Wake, Watch};
