//! Events of the kernel that arrive over netlink: changes of network interfaces and devices.

use std::os::fd::OwnedFd;
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, bind, recv, socket_with};

use crate::{FunctionError, StreamContext};

/// A thread that calls the waker for each event until it is dropped.
pub(crate) struct KernelEvents {
    stop: OwnedFd,
    thread: Option<JoinHandle<()>>,
}

/// The rtnetlink multicast groups of links, IPv4 addresses and IPv6 addresses.
const NETWORK_GROUPS: u32 = 0x1 | 0x10 | 0x100;
/// The uevent multicast group of the kernel.
const DEVICE_GROUP: u32 = 1;

impl KernelEvents {
    /// Starts watching links and addresses, unless `slot` already does.
    pub(crate) fn network(slot: &mut Option<KernelEvents>, cx: &dyn StreamContext) -> Result<(), FunctionError> {
        // Protocol 0 of netlink is NETLINK_ROUTE.
        KernelEvents::watch(slot, cx, None, NETWORK_GROUPS, |_| true)
    }

    /// Starts watching processors, unless `slot` already does.
    pub(crate) fn processors(slot: &mut Option<KernelEvents>, cx: &dyn StreamContext) -> Result<(), FunctionError> {
        let about_a_processor = |event: &[u8]| event.split(|&b| b == 0).any(|line| line == b"SUBSYSTEM=cpu");
        KernelEvents::watch(slot, cx, Some(netlink::KOBJECT_UEVENT), DEVICE_GROUP, about_a_processor)
    }

    /// Starts watching kernel modules, unless `slot` already does.
    pub(crate) fn modules(slot: &mut Option<KernelEvents>, cx: &dyn StreamContext) -> Result<(), FunctionError> {
        let about_a_module = |event: &[u8]| event.split(|&b| b == 0).any(|line| line == b"SUBSYSTEM=module");
        KernelEvents::watch(slot, cx, Some(netlink::KOBJECT_UEVENT), DEVICE_GROUP, about_a_module)
    }

    /// Starts watching the host name, unless `slot` already does. The kernel wakes pollers of its file.
    pub(crate) fn hostname(slot: &mut Option<KernelEvents>, cx: &dyn StreamContext) -> Result<(), FunctionError> {
        if slot.is_some() {
            return Ok(());
        }
        let file = std::fs::File::open("/proc/sys/kernel/hostname")
            .map_err(|error| FunctionError::fatal(format!("could not watch the host name: {error}")))?;
        let waker = cx.waker();
        *slot = Some(KernelEvents::start(file.into(), PollFlags::ERR | PollFlags::PRI, move |file| {
            // Reading clears the event.
            let mut name = [0; 256];
            let read = rustix::io::pread(file, &mut name, 0).is_ok();
            waker();
            read
        })?);
        Ok(())
    }

    fn watch(
        slot: &mut Option<KernelEvents>,
        cx: &dyn StreamContext,
        protocol: Option<rustix::net::Protocol>,
        groups: u32,
        interesting: fn(&[u8]) -> bool,
    ) -> Result<(), FunctionError> {
        if slot.is_some() {
            return Ok(());
        }
        let failure =
            |error: rustix::io::Errno| FunctionError::fatal(format!("could not watch the kernel's events: {error}"));
        let kind = SocketType::RAW;
        let socket = socket_with(AddressFamily::NETLINK, kind, SocketFlags::CLOEXEC, protocol).map_err(failure)?;
        bind(&socket, &SocketAddrNetlink::new(0, groups)).map_err(failure)?;
        let waker = cx.waker();
        *slot = Some(KernelEvents::start(socket, PollFlags::IN, move |socket| {
            let mut buffer = vec![0u8; 16 * 1024];
            match recv(socket, &mut buffer[..], RecvFlags::DONTWAIT) {
                Ok((length, _)) if !interesting(&buffer[..length.min(16 * 1024)]) => true,
                // An overrun means that events were lost.
                Ok(_) | Err(rustix::io::Errno::NOBUFS) => {
                    waker();
                    true
                }
                Err(error) => matches!(error, rustix::io::Errno::AGAIN | rustix::io::Errno::INTR),
            }
        })?);
        Ok(())
    }

    /// Calls `event` each time the descriptor is ready, as long as it returns true.
    fn start(
        descriptor: OwnedFd,
        interest: PollFlags,
        mut event: impl FnMut(&OwnedFd) -> bool + Send + 'static,
    ) -> Result<KernelEvents, FunctionError> {
        let failure =
            |error: std::io::Error| FunctionError::fatal(format!("could not watch the kernel's events: {error}"));
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(|error| failure(error.into()))?;
        let stopped = stop.try_clone().map_err(failure)?;
        let run = move || loop {
            let mut fds = [PollFd::new(&descriptor, interest), PollFd::new(&stopped, PollFlags::IN)];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return,
                Ok(_) if !fds[1].revents().is_empty() => return,
                Ok(_) if event(&descriptor) => {}
                Ok(_) => return,
            }
        };
        let thread = std::thread::Builder::new().name("kernel-events".to_owned()).spawn(run).map_err(failure)?;
        Ok(KernelEvents { stop, thread: Some(thread) })
    }
}

impl Drop for KernelEvents {
    fn drop(&mut self) {
        let told = rustix::io::write(&self.stop, &1u64.to_ne_bytes()).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| told) {
            let _ = thread.join();
        }
    }
}
