//! Running one command: its own process group, nothing inherited but what was asked for, output captured, cancellable.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::{Cancel, CancelLevel, Failure};

/// More output than that of one command is dropped: a runaway command must not take the agent's memory.
const CAPTURE_LIMIT: usize = 64 << 20;

/// What to run.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// The program and its arguments; never empty.
    pub(super) words: Vec<String>,
    pub(super) cwd: String,
}

/// What all commands of a resource share.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    pub(super) env: BTreeMap<String, String>,
    pub(super) signal: Signal,
    pub(super) user: Option<u32>,
    pub(super) group: Option<u32>,
}

/// Which pipe bytes came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Exited(i32),
    Killed(i32),
}

/// What a command printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Output {
    pub(super) combined: Vec<u8>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

impl Output {
    fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let room = CAPTURE_LIMIT.saturating_sub(self.combined.len());
        let bytes = &bytes[..bytes.len().min(room)];
        self.combined.extend_from_slice(bytes);
        match stream {
            Stream::Out => self.stdout.extend_from_slice(bytes),
            Stream::Err => self.stderr.extend_from_slice(bytes),
        }
    }

    /// The last line of the errors, to say in a message.
    pub(super) fn last_words(&self) -> String {
        let text = String::from_utf8_lossy(if self.stderr.is_empty() { &self.stdout } else { &self.stderr });
        let line = text.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("").trim();
        line.chars().take(200).collect()
    }
}

impl Line {
    /// A command given as one text: for a shell as it is, else split at white space; nothing is quoted or expanded.
    pub(super) fn parse(text: &str, shell: &str, cwd: &str) -> Option<Line> {
        let words: Vec<String> = if shell.is_empty() {
            text.split_whitespace().map(str::to_owned).collect()
        } else {
            vec![shell.to_owned(), "-c".to_owned(), text.to_owned()]
        };
        (!text.is_empty() && !words.is_empty()).then(|| Line { words, cwd: cwd.to_owned() })
    }

    /// Runs it and captures what it prints.
    pub(super) fn capture(&self, around: &Surroundings, cancel: &Cancel) -> Result<(Ending, Output), Failure> {
        let mut output = Output::default();
        let ending = self.run(around, cancel, &mut |stream, bytes| output.push(stream, bytes))?;
        Ok((ending, output))
    }

    /// Runs it until it ends or is cancelled, which is a failure even if it then succeeds.
    pub(super) fn run(
        &self,
        around: &Surroundings,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Ending, Failure> {
        let child = self.start(around)?;
        match supervise(child, around.signal, cancel, sink) {
            Ok(Some(status)) => Ok(match status.signal() {
                Some(signal) => Ending::Killed(signal),
                None => Ending::Exited(status.code().unwrap_or(-1)),
            }),
            Ok(None) => Err(Failure::Cancelled),
            Err(error) => Err(Failure::Command(format!("lost track of `{}`: {error}", self.words[0]))),
        }
    }

    fn start(&self, around: &Surroundings) -> Result<Child, Failure> {
        let name = &self.words[0];
        let failed = |error: &dyn std::fmt::Display| Failure::Command(format!("cannot start `{name}`: {error}"));
        let program = find_program(name).ok_or_else(|| failed(&"no such program in PATH"))?;
        let mut command = Command::new(program);
        command.arg0(name).args(&self.words[1..]);
        command.env_clear().envs(&around.env);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        if !self.cwd.is_empty() {
            command.current_dir(&self.cwd);
        }
        let current = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let (user, group) = (around.user.unwrap_or(current.0), around.group.unwrap_or(current.1));
        if (user, group) != current {
            if current.0 != 0 {
                return Err(Failure::Refused(
                    "running as root is required to run a command as someone else".to_owned(),
                ));
            }
            command.uid(user).gid(group);
        }
        command.spawn().map_err(|error| {
            let text = error.to_string();
            failed(&text.rsplit_once(" (os error ").map_or(text.as_str(), |(words, _)| words))
        })
    }
}

/// A name without a slash is looked up in the PATH of the agent, not of the command.
fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name));
    }
    let default = || OsString::from("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    let path = std::env::var_os("PATH").filter(|p| !p.is_empty()).unwrap_or_else(default);
    std::env::split_paths(&path).filter(|dir| dir.is_absolute()).map(|dir| dir.join(name)).find(|p| is_executable(p))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// Reads both pipes, passes on requests to end, and reaps the child. `None`: it was cancelled.
fn supervise(
    mut child: Child,
    signal: Signal,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<Option<ExitStatus>> {
    let pid = Pid::from_child(&child);
    let pidfd = pidfd_open(pid, PidfdFlags::empty()).ok();
    let mut pipes: Vec<(Stream, OwnedFd)> = Vec::with_capacity(2);
    pipes.extend(child.stdout.take().map(|p| (Stream::Out, OwnedFd::from(p))));
    pipes.extend(child.stderr.take().map(|p| (Stream::Err, OwnedFd::from(p))));
    for (_, pipe) in &pipes {
        fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
    }
    let mut sent = CancelLevel::None;
    let mut buffer = vec![0u8; 64 * 1024];
    loop {
        let level = cancel.level();
        if level > sent {
            sent = level;
            let signal = if level == CancelLevel::Kill { Signal::KILL } else { signal };
            // The group may have ended by itself.
            let _ = kill_process_group(pid, signal);
        }
        if let Some(status) = child.try_wait()? {
            // Whatever is in the pipes is kept; a descendant that still holds one is not waited for.
            drain(&mut pipes, &mut buffer, sink);
            return Ok((sent == CancelLevel::None).then_some(status));
        }
        {
            let cancel_fd = cancel.fd();
            let fds = pipes.iter().map(|(_, p)| p.as_fd());
            let others = [pidfd.as_ref().map(AsFd::as_fd), cancel_fd];
            let mut polled: Vec<PollFd<'_>> =
                fds.chain(others.into_iter().flatten()).map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
            // Without a descriptor for the child or the request we look now and then.
            let blind = pidfd.is_none() || cancel_fd.is_none();
            let timeout = blind.then(|| Timespec::try_from(Duration::from_millis(20)).expect("a small time"));
            let _ = poll(&mut polled, timeout.as_ref());
            if let Some(fd) = cancel_fd {
                let _ = rustix::io::read(fd, &mut [0u8; 8]);
            }
        }
        drain(&mut pipes, &mut buffer, sink);
    }
}

/// Reads what is there; pipes at their end are dropped.
fn drain(pipes: &mut Vec<(Stream, OwnedFd)>, buffer: &mut [u8], sink: &mut dyn FnMut(Stream, &[u8])) {
    pipes.retain_mut(|(stream, pipe)| {
        // Bounded, so that a command that never stops printing can be cancelled.
        for _ in 0..16 {
            match rustix::io::read(&*pipe, &mut *buffer) {
                Ok(0) => return false,
                Ok(n) => sink(*stream, &buffer[..n]),
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return true,
                Err(_) => return false,
            }
        }
        true
    });
}

/// The lines of a watching command: counts them as they come.
#[derive(Default)]
pub(super) struct Lines {
    /// Whether the current line has something in it, for each stream.
    started: [bool; 2],
}

impl Lines {
    /// How many non-empty lines ended with these bytes.
    pub(super) fn count(&mut self, stream: Stream, bytes: &[u8]) -> usize {
        let started = &mut self.started[stream as usize];
        let mut ended = 0;
        for byte in bytes {
            if *byte != b'\n' {
                *started = true;
            } else if std::mem::take(started) {
                ended += 1;
            }
        }
        ended
    }
}

/// Reads a small file whole; one that is not there is `None`.
pub(super) fn read_cached(path: &Path) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    std::fs::File::open(path).ok()?.read_to_end(&mut content).ok()?;
    Some(content)
}
