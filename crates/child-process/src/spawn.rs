//! Starting a process when the machine has the resources for it.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::group::ProcessGroup;
use crate::limits::{is_exhausted, raise_descriptor_limit_for, restore_descriptor_limit};
use crate::running::{RunningCount, running, wait_for_end};

/// The time between the first two attempts.
const FIRST_DELAY: Duration = Duration::from_millis(5);
/// Maximum time between two attempts.
const MAX_DELAY: Duration = Duration::from_millis(250);
/// How long to try while nothing that this process started is running, so that nothing of ours would free anything.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Starts a command in a process group of its own. It should be one of [`crate::command_as`]: any other has the limit on
/// descriptors of this process for its first instructions. While
/// the machine has no descriptor, process or memory left, waits until something ends, at most 30 seconds after the
/// last process of this kind has.
///
/// # Errors
/// The command cannot be started, or `is_cancelled` returned true while waiting.
pub fn spawn(command: &mut Command, is_cancelled: &dyn Fn() -> bool) -> io::Result<ProcessGroup> {
    command.process_group(0);
    raise_descriptor_limit_for(running() + 1);
    let mut idle_since = Instant::now();
    let mut delay = FIRST_DELAY;
    loop {
        let error = match command.spawn() {
            Ok(child) => {
                restore_descriptor_limit(Pid::from_child(&child));
                return Ok(ProcessGroup::new(child, RunningCount::new()));
            }
            Err(error) => error,
        };
        if !is_exhausted(&error) || is_cancelled() {
            return Err(error);
        }
        if wait_for_end(delay) > 0 {
            idle_since = Instant::now();
        } else if idle_since.elapsed() >= MAX_WAIT {
            return Err(error);
        }
        delay = (delay * 2).min(MAX_DELAY);
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn missing_program_is_an_error_at_once() {
        let error = spawn(&mut Command::new("/nonexistent/program"), &|| false).expect_err("an error");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn process_leads_its_own_group() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "exec sleep 1000"]).stdin(Stdio::null());
        let mut group = spawn(&mut command, &|| false).expect("a shell");
        assert_eq!(rustix::process::getpgid(Some(group.id())).expect("it runs"), group.id());
        group.kill();
        assert!(group.try_wait().expect("a child").is_some());
    }
}
