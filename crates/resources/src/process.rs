//! Child processes: finding programs, capturing their output, cancelling and reaping them (spec 05 §5.5, §6.2).

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use child_process::ProcessGroup;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, OFlags, access, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, read};
use rustix::process::{PidfdFlags, Signal, pidfd_open};

use crate::{Cancel, CancelLevel};

/// Maximum output that is kept of one process, in bytes, so that a runaway command cannot exhaust the agent's memory.
const CAPTURE_LIMIT: usize = 64 << 20;
/// How often the process and the cancellation are checked where the kernel has no descriptor for them.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Size of a read from a pipe, in bytes.
const READ_SIZE: usize = 64 * 1024;
/// Maximum number of reads from one pipe before the cancellation is checked again.
const MAX_READS: usize = 16;

/// An output pipe of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// The output of a process, at most [`CAPTURE_LIMIT`] bytes; the rest is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    /// Both streams, in the order of arrival.
    pub(crate) combined: Vec<u8>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Output {
    /// Appends bytes read from a stream.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        let available = CAPTURE_LIMIT.saturating_sub(self.combined.len());
        let bytes = &bytes[..bytes.len().min(available)];
        self.combined.extend_from_slice(bytes);
        match stream {
            Stream::Stdout => self.stdout.extend_from_slice(bytes),
            Stream::Stderr => self.stderr.extend_from_slice(bytes),
        }
    }
}

/// Returns the path of a program: a name with a slash as it is, any other from the absolute directories of the agent's
/// `PATH`, then from the standard directories, because the `PATH` of an agent may lack those of administration tools.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let standard = OsString::from("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    let directories = std::env::split_paths(&path).chain(std::env::split_paths(&standard));
    directories.filter(|dir| dir.is_absolute()).map(|dir| dir.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// Passes the output of a process to `sink` until it exits, then reaps it.
///
/// The output of the process must be piped. A cancelled check sends `cancel_signal` to the group,
/// an urgent one SIGKILL. Returns `None` if the check was cancelled, whatever the exit status. Descendants that keep a pipe
/// open after the process has exited are not waited for.
///
/// # Errors
/// A system call on the pipes or the process failed.
pub(crate) fn supervise(
    mut group: ProcessGroup,
    cancel_signal: Signal,
    cancel: &Cancel,
    sink: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<Option<ExitStatus>> {
    let pidfd = pidfd_open(group.id(), PidfdFlags::empty()).ok();
    let mut pipes: Vec<(Stream, OwnedFd)> = Vec::with_capacity(2);
    pipes.extend(group.child().stdout.take().map(|pipe| (Stream::Stdout, OwnedFd::from(pipe))));
    pipes.extend(group.child().stderr.take().map(|pipe| (Stream::Stderr, OwnedFd::from(pipe))));
    for (_, pipe) in &pipes {
        fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
    }
    // Taken once: each call makes the descriptor readable again after a cancellation.
    let cancel_fd = cancel.fd();
    let has_all_descriptors = pidfd.is_some() && cancel_fd.is_some();
    let timeout =
        (!has_all_descriptors).then_some(Timespec { tv_sec: 0, tv_nsec: i64::from(POLL_INTERVAL.subsec_nanos()) });
    let mut handled = CancelLevel::None;
    let mut buffer = vec![0u8; READ_SIZE];
    loop {
        let level = cancel.level();
        if level > handled {
            handled = level;
            let signal = if level == CancelLevel::Kill { Signal::KILL } else { cancel_signal };
            group.signal(signal);
        }
        if let Some(status) = group.try_wait()? {
            // What the process wrote before it exited is still in the pipes.
            drain(&mut pipes, &mut buffer, sink);
            return Ok((handled == CancelLevel::None).then_some(status));
        }
        {
            let events = [pidfd.as_ref().map(AsFd::as_fd), cancel_fd];
            let fds = pipes.iter().map(|(_, pipe)| pipe.as_fd()).chain(events.into_iter().flatten());
            let mut polled: Vec<PollFd<'_>> = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
            // An interrupted poll is repeated by the loop.
            let _ = poll(&mut polled, timeout.as_ref());
        }
        if let Some(fd) = cancel_fd {
            let _ = read(fd, &mut [0u8; 8]);
        }
        drain(&mut pipes, &mut buffer, sink);
    }
}

/// Reads the available output and drops the pipes that have reached their end.
fn drain(pipes: &mut Vec<(Stream, OwnedFd)>, buffer: &mut [u8], sink: &mut dyn FnMut(Stream, &[u8])) {
    pipes.retain_mut(|(stream, pipe)| {
        for _ in 0..MAX_READS {
            match read(&*pipe, &mut *buffer) {
                Ok(0) => return false,
                Ok(n) => sink(*stream, &buffer[..n]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                Err(_) => return false,
            }
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_beyond_the_limit_is_dropped() {
        let mut output = Output::default();
        let chunk = vec![b'x'; CAPTURE_LIMIT - 1];
        output.push(Stream::Stdout, &chunk);
        output.push(Stream::Stderr, b"abc");
        output.push(Stream::Stdout, b"d");
        assert_eq!((output.stdout.len(), &*output.stderr), (CAPTURE_LIMIT - 1, &b"a"[..]));
    }

    #[test]
    fn programs_are_found_by_path_and_by_name() {
        assert_eq!(find_program("./x"), Some(PathBuf::from("./x")));
        assert!(find_program("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(find_program("no-such-program"), None);
    }
}
