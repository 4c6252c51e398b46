//! What can happen at a system call of the simulated kernel.

use rustix::io::Errno;

use crate::simulated::Simulated;

/// What happens at a system call.
pub enum Fault {
    /// The machine crashes before it. Every later call fails until [`Simulated::restart`].
    Crash,
    /// It fails with this error.
    Fail(Errno),
    /// From it on the disk is full, until [`Simulated::withdraw_fault`] or a restart.
    Full,
    /// Another program does something before it.
    Foreign(Box<dyn FnOnce(&Simulated) + Send>),
}

/// A [`Fault`] of the machine itself, which can be copied, so that tests can repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineFault {
    /// [`Fault::Crash`].
    Crash,
    /// [`Fault::Full`].
    Full,
    /// [`Fault::Fail`].
    Fail(Errno),
}

impl From<MachineFault> for Fault {
    fn from(fault: MachineFault) -> Fault {
        match fault {
            MachineFault::Crash => Fault::Crash,
            MachineFault::Full => Fault::Full,
            MachineFault::Fail(error) => Fault::Fail(error),
        }
    }
}
