//! Kills a tool at a system call, like `kill -9` at the worst of all moments.
//!
//! The tool is traced, so the kill comes right before or after a system call that may change something: a file, a directory, a
//! mount, or another process.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// The program that is counted and killed.
const TOOL: &str = "mgmt-rt";
/// The system calls that may change something that outlives the process.
const CHANGES: [libc::c_long; 27] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_symlinkat,
    libc::SYS_linkat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_syncfs,
    libc::SYS_utimensat,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_sethostname,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_clone3,
];

/// How a traced run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It was killed.
    Killed,
    /// It ended by itself, after this number of beginnings and ends of system calls that may change something.
    Completed { stops: u64 },
}

/// Runs a command, and kills the tool that it starts at a beginning or end of a system call that may change something: the one
/// with the number `at`, counted from 1.
#[allow(clippy::zombie_processes, reason = "it is waited for as a tracee")]
pub fn run_until(command: &Command, at: u64) -> End {
    // Nothing is missed: the shell stops itself, and becomes the command once it is traced.
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "kill -STOP $$; exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        shell.current_dir(directory);
    }
    let child = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell");
    let shell = Pid::from_raw(i32::try_from(child.id()).expect("a process id"));
    let stopped = waitpid(shell, Some(WaitPidFlag::WUNTRACED)).expect("a child");
    assert_eq!(stopped, WaitStatus::Stopped(shell, Signal::SIGSTOP));
    let all = Options::PTRACE_O_TRACESYSGOOD | Options::PTRACE_O_TRACECLONE | Options::PTRACE_O_TRACEEXEC;
    let children = Options::PTRACE_O_TRACEFORK | Options::PTRACE_O_TRACEVFORK;
    ptrace::seize(shell, all | children | Options::PTRACE_O_EXITKILL).expect("tracing is permitted");
    kill(shell, Signal::SIGCONT).expect("it is stopped");
    Trace { tracees: BTreeSet::from([shell]), tool: None, stops: 0, at, options: all | Options::PTRACE_O_EXITKILL }
        .run()
}

struct Trace {
    /// The traced threads and processes that have not ended.
    tracees: BTreeSet<Pid>,
    /// The process to kill, once it runs.
    tool: Option<Pid>,
    stops: u64,
    at: u64,
    /// What is traced of the tool: its threads.
    options: Options,
}

impl Trace {
    fn run(mut self) -> End {
        let mut is_killed = false;
        while !self.tracees.is_empty() {
            // Of this thread only: other tests have children of their own.
            let status = match waitpid(None, Some(WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD)) {
                Err(Errno::EINTR) => continue,
                Err(_) => break,
                Ok(status) => status,
            };
            match status {
                WaitStatus::PtraceSyscall(thread) => {
                    if !is_killed && self.is_due(thread) {
                        is_killed = true;
                        let _ = self.tool.map(|tool| kill(tool, Signal::SIGKILL));
                    }
                    self.resume(thread, None);
                }
                WaitStatus::PtraceEvent(process, _, event) => {
                    if event == libc::PTRACE_EVENT_EXEC && self.tool.is_none() && is_tool(process) {
                        self.tool = Some(process);
                        ptrace::setoptions(process, self.options).expect("it is traced");
                    }
                    let is_start = [libc::PTRACE_EVENT_CLONE, libc::PTRACE_EVENT_FORK, libc::PTRACE_EVENT_VFORK];
                    if is_start.contains(&event)
                        && let Ok(new) = ptrace::getevent(process)
                    {
                        self.tracees.insert(Pid::from_raw(i32::try_from(new).expect("a process id")));
                    }
                    self.resume(process, None);
                }
                WaitStatus::Exited(process, _) | WaitStatus::Signaled(process, _, _) => {
                    self.tracees.remove(&process);
                }
                WaitStatus::Stopped(process, signal) => self.resume(process, Some(signal)),
                _ => {}
            }
        }
        assert!(self.tool.is_some(), "the command runs {TOOL}");
        if is_killed { End::Killed } else { End::Completed { stops: self.stops } }
    }

    /// Whether a thread stopped where to kill.
    fn is_due(&mut self, thread: Pid) -> bool {
        let text = std::fs::read_to_string(format!("/proc/{thread}/syscall")).unwrap_or_default();
        let number = text.split(' ').next().and_then(|number| number.parse().ok());
        if !number.is_some_and(|number: libc::c_long| CHANGES.contains(&number)) {
            return false;
        }
        self.stops += 1;
        self.stops == self.at
    }

    fn resume(&self, process: Pid, signal: Option<Signal>) {
        // Fails if it was killed meanwhile.
        let _ = match self.tool {
            Some(_) => ptrace::syscall(process, signal),
            None => ptrace::cont(process, signal),
        };
    }
}

fn is_tool(process: Pid) -> bool {
    let program = std::fs::read_link(format!("/proc/{process}/exe"));
    program.is_ok_and(|program| program.file_name() == Some(OsStr::new(TOOL)))
}
