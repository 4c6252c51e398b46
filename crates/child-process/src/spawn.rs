//! Starting a process when the machine has the resources for it.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, unshare};
use rustix::process::Pid;

use crate::group::ProcessGroup;
use crate::guard::{not_started, starting};
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
        starting();
        let error = match command.spawn() {
            Ok(child) => {
                restore_descriptor_limit(Pid::from_child(&child));
                return Ok(ProcessGroup::new(child, RunningCount::new()));
            }
            Err(error) => error,
        };
        not_started();
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

/// Like [`spawn`], but where this process may create namespaces, the command is the first process of a new PID namespace
/// (`pid_namespaces(7)`). Its descendants cannot signal it or any other process outside, and the kernel kills all of them when
/// it ends, whatever session or process group they are in. Elsewhere it is an ordinary process.
///
/// # Errors
/// As for [`spawn`].
pub fn spawn_in_pid_namespace(
    command: &mut Command,
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> io::Result<ProcessGroup> {
    // The namespace of children is an attribute of the thread.
    let start = || {
        // Fails without the capability, and where the kernel or a container forbids it.
        let _ = unshare(CloneFlags::CLONE_NEWPID);
        spawn(command, is_cancelled)
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("pid-namespace".to_owned()).spawn_scoped(scope, start)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that starts the command panicked")))
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;

    use test_support::eventually;

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

    #[test]
    fn descendants_in_a_pid_namespace_end_with_its_first_process() {
        let mut command = Command::new("/bin/sh");
        let script = "echo $$; setsid sleep 1234567 & kill -KILL $$; wait";
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut group = spawn_in_pid_namespace(&mut command, &|| false).expect("a shell");
        let mut output = group.child().stdout.take().expect("a pipe");
        let mut id = [0; 2];
        output.read_exact(&mut id).expect("its id");
        if id != *b"1\n" {
            group.kill_all();
            return test_support::skip("this user cannot create PID namespaces");
        }
        assert!(!group.has_ended(), "it cannot kill itself");
        // The daemon keeps the pipe open, so it has ended when the pipe is closed.
        group.kill();
        assert_eq!(output.read_to_end(&mut Vec::new()).expect("the end"), 0);
        eventually("nothing of it is left", || rustix::process::test_kill_process_group(group.id()).is_err());
    }
}
