//! Processes that a program starts: within the limits of the machine, and not longer than the program itself.
//!
//! * [`spawn`] starts a command in a process group of its own. While the machine has no descriptor, process or memory left, it
//!   waits for others to end.
//! * [`spawn_in_pid_namespace`] also isolates it, so that no descendant outlives it.
//! * [`raise_low_descriptor_limit`] and [`max_parallel_commands`]: how much can run at a time.
//! * [`start_guard`]: a process that kills the groups that still run when this process is gone, however it ended.
//! * [`command_as`]: a command with the limits that this process had at its start, and perhaps with the identity of another
//!   user, supplementary groups included.
//!
//! This crate knows nothing of resources, functions or values.

mod group;
mod guard;
mod limits;
mod run_as;
mod running;
mod spawn;

pub use group::ProcessGroup;
pub use guard::{run_guard, start_guard};
pub use limits::{is_exhausted, max_parallel_commands, raise_low_descriptor_limit};
pub use run_as::{Identity, command_as, run_as, set_helper};
pub use spawn::{spawn, spawn_in_pid_namespace};
