//! SIGINT and SIGTERM as bytes in a pipe.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::agent::shutdown::SignalCounts;

/// The signals of the process. Dropping it restores their default handling.
pub struct Signals {
    interrupt: UnixStream,
    terminate: UnixStream,
    ids: [SigId; 2],
}

impl Signals {
    /// Registers for SIGINT and SIGTERM.
    ///
    /// # Errors
    /// The process has no descriptor left.
    pub fn new() -> io::Result<Signals> {
        let (interrupt, interrupt_id) = pipe(SIGINT)?;
        let (terminate, terminate_id) = pipe(SIGTERM)?;
        Ok(Signals { interrupt, terminate, ids: [interrupt_id, terminate_id] })
    }

    pub(super) fn fds(&self) -> [BorrowedFd<'_>; 2] {
        [self.interrupt.as_fd(), self.terminate.as_fd()]
    }

    /// Returns the number of signals since they were taken before.
    pub(super) fn take(&mut self) -> SignalCounts {
        SignalCounts { interrupts: count(&mut self.interrupt), terminations: count(&mut self.terminate) }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.ids {
            signal_hook::low_level::unregister(id);
        }
    }
}

fn pipe(signal: i32) -> io::Result<(UnixStream, SigId)> {
    let (read, write) = UnixStream::pair()?;
    read.set_nonblocking(true)?;
    let id = signal_hook::low_level::pipe::register(signal, write)?;
    Ok((read, id))
}

fn count(stream: &mut UnixStream) -> usize {
    let mut buffer = [0; 64];
    stream.read(&mut buffer).unwrap_or(0)
}
