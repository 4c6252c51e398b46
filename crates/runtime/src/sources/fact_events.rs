//! Events of the kernel that may change facts: of the network, the host name, and the table of mounts.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};

/// The rtnetlink multicast groups of links, of addresses of both families, and of routes of both.
const NETWORK_GROUPS: u32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;
/// Minimum time between two reports: changes come in bursts, and a burst is one change.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// A thread that reports events until it is dropped.
pub(super) struct FactEvents {
    stop: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

impl FactEvents {
    /// Starts the thread. `None` if the kernel refuses what it needs; the facts are then looked at in intervals only.
    pub(super) fn start(report: impl Fn() + Send + 'static) -> Option<FactEvents> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // Protocol 0 of this family is NETLINK_ROUTE.
        let network = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None).ok()?;
        bind(&network, &SocketAddrNetlink::new(0, NETWORK_GROUPS)).ok()?;
        let files: Vec<File> = ["/proc/self/mounts", "/proc/sys/kernel/hostname"]
            .iter()
            .filter_map(|path| File::open(path).ok())
            .collect();
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?;
        let stopped = stop.try_clone().ok()?;
        let run = move || {
            while wait(&stopped, &network, &files) {
                drain(&network, &files);
                report();
                // Whatever happens meanwhile is reported together.
                if !pause(&stopped) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("fact-events".to_owned()).spawn(run).ok()?;
        Some(FactEvents { stop, thread: Some(thread) })
    }
}

impl Drop for FactEvents {
    fn drop(&mut self) {
        let told = rustix::io::write(&self.stop, &1u64.to_ne_bytes()).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| told) {
            let _ = thread.join();
        }
    }
}

/// Waits for an event. Returns false when the thread has to end.
fn wait(stop: &OwnedFd, network: &OwnedFd, files: &[File]) -> bool {
    loop {
        let mut fds = vec![PollFd::new(stop, PollFlags::IN), PollFd::new(network, PollFlags::IN)];
        fds.extend(files.iter().map(|file| PollFd::new(file, PollFlags::ERR | PollFlags::PRI)));
        match poll(&mut fds, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return fds[0].revents().is_empty(),
        }
    }
}

/// Takes all pending events.
fn drain(network: &OwnedFd, files: &[File]) {
    let mut buffer = [0_u8; 16 * 1024];
    while matches!(recv(network, &mut buffer[..], RecvFlags::DONTWAIT), Ok(_) | Err(rustix::io::Errno::NOBUFS)) {}
    for file in files {
        // Reading clears the event.
        let _ = rustix::io::pread(file, &mut buffer[..], 0);
    }
}

/// Waits for the report interval. Returns false when the thread has to end.
fn pause(stop: &OwnedFd) -> bool {
    let interval = Timespec { tv_sec: REPORT_INTERVAL.as_secs().cast_signed(), tv_nsec: 0 };
    let mut fds = [PollFd::new(stop, PollFlags::IN)];
    let _ = poll(&mut fds, Some(&interval));
    fds[0].revents().is_empty()
}
