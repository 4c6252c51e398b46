//! A process that leads its own process group.

use std::io;
use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::guard::Registration;
use crate::running::RunningCount;

/// A running process and its process group. Dropping it leaves both alone.
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    pid: Pid,
    registration: Registration,
    /// `None` once it has ended.
    running: Option<RunningCount>,
}

impl ProcessGroup {
    pub(crate) fn new(child: Child, running: RunningCount) -> ProcessGroup {
        let pid = Pid::from_child(&child);
        ProcessGroup { child, pid, registration: Registration::new(pid), running: Some(running) }
    }

    /// Returns the id of the process and its group.
    #[must_use]
    pub fn id(&self) -> Pid {
        self.pid
    }

    /// Returns the process, to take its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Sends a signal to the whole group. Does nothing if it has ended.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.pid, signal);
    }

    /// Returns the status of the process if it has ended, and reaps it. What it left in its group keeps running.
    ///
    /// # Errors
    /// The system call failed.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            self.ended();
        }
        Ok(status)
    }

    /// Kills the group, unless its leader has ended, and reaps the leader.
    pub fn kill(&mut self) {
        if !matches!(self.try_wait(), Ok(Some(_))) {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
            self.ended();
        }
    }

    /// Returns whether the process has ended, and does not reap it.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.running.is_none() || !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None))
    }

    /// Kills the group, also if only its leader has ended, and reaps the leader. Does nothing once the leader is reaped, because
    /// the group could be another one then.
    pub fn kill_all(&mut self) {
        if self.running.is_some() {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
            self.ended();
        }
    }

    fn ended(&mut self) {
        self.registration.end();
        self.running = None;
    }
}
