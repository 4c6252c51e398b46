//! Signals that end a command.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use nix::sys::signal::SigSet;
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
use signal_hook::flag::register_conditional_shutdown;

/// Returns the exit status of a command that a signal ended, as a shell shows it.
pub fn interrupted(signal: i32) -> ExitCode {
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
}

/// Undoes what the parent of this process did with signals that it needs: none is blocked, and the ends of children are reported. A write
/// beyond a limit on the size of files is an error, and not the end of this process. Commands get the defaults.
pub fn restore_defaults() {
    for signal in [SIGCHLD, SIGXFSZ] {
        // Commands do not inherit a handler. Fails only without memory.
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
    let _ = SigSet::empty().thread_set_mask();
}

/// Lets signals end this process from now on. `first` is the signal that ended its run, if one did: it stays the reason.
pub fn exit_on_signals(first: Option<i32>) {
    for signal in [SIGINT, SIGTERM, SIGQUIT, SIGHUP] {
        // Fails only without memory. Then the process waits for the readers of its output.
        let _ = register_conditional_shutdown(signal, 128 + first.unwrap_or(signal), Arc::new(AtomicBool::new(true)));
    }
}
