//! The signals of the process as bytes in pipes.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::termios::{isatty, tcgetattr};
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use crate::agent::shutdown::SignalCounts;

/// The handled signals, in the order of their pipes.
const HANDLED: [i32; 5] = [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1];

/// The signals of the process. Dropping it ends their delivery; the signals are ignored then.
pub struct Signals {
    /// `None` for a signal that the process was started to ignore.
    pipes: [Option<UnixStream>; HANDLED.len()],
    ids: Vec<SigId>,
    /// Whether a standard stream was a terminal at the start.
    had_terminal: bool,
}

/// What signals asked for since they were taken before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SignalRequests {
    pub(super) shutdown: SignalCounts,
    /// SIGHUP: load the program again.
    pub(super) reload: bool,
    /// SIGUSR1: report the state.
    pub(super) status: bool,
}

impl Signals {
    /// Registers for SIGINT, SIGTERM, SIGQUIT, SIGHUP (unless `nohup` started the process) and SIGUSR1, and ignores SIGUSR2.
    ///
    /// # Errors
    /// The process has no descriptor left.
    pub fn new() -> io::Result<Signals> {
        let mut ids = vec![signal_hook::flag::register(SIGUSR2, Arc::new(AtomicBool::new(false)))?];
        let ignored = ignored_signals();
        let mut pipes = [const { None }; HANDLED.len()];
        for (pipe, signal) in pipes.iter_mut().zip(HANDLED) {
            if signal == SIGHUP && ignored & (1 << (signal - 1)) != 0 {
                continue;
            }
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            ids.push(signal_hook::low_level::pipe::register(signal, write)?);
            *pipe = Some(read);
        }
        let had_terminal = isatty(io::stdin()) || isatty(io::stdout()) || isatty(io::stderr());
        Ok(Signals { pipes, ids, had_terminal })
    }

    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.pipes.iter().flatten().map(AsFd::as_fd)
    }

    /// Returns what the signals that were not taken yet asked for.
    pub(super) fn take(&mut self) -> SignalRequests {
        let [interrupts, terminations, quits, hangups, statuses] = self.pipes.each_mut().map(count);
        // A hangup of the terminal ends a program that was started there.
        let has_lost_terminal = hangups > 0 && self.had_terminal && !has_terminal();
        SignalRequests {
            shutdown: SignalCounts { interrupts, terminations, quits, hangups: usize::from(has_lost_terminal) },
            reload: hangups > 0 && !has_lost_terminal,
            status: statuses > 0,
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.ids.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// Whether a standard stream is a terminal that still exists.
fn has_terminal() -> bool {
    tcgetattr(io::stdin()).is_ok() || tcgetattr(io::stdout()).is_ok() || tcgetattr(io::stderr()).is_ok()
}

/// Returns the signals that this process ignores, as a bit mask.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn count(pipe: &mut Option<UnixStream>) -> usize {
    let mut buffer = [0; 64];
    pipe.as_mut().and_then(|pipe| pipe.read(&mut buffer).ok()).unwrap_or(0)
}
