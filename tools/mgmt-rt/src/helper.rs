//! Processes that the agent starts for itself: the guard of its children, and commands with another identity.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Subcommand;
use rustix::process::Pid;

/// The running program, even if its file was replaced.
const OWN_PROGRAM: &str = "/proc/self/exe";
/// The exit status of a shell for a command that cannot be run.
const CANNOT_RUN: u8 = 126;

#[derive(Subcommand)]
pub enum Helper {
    /// End the children of an agent when it is gone
    Guard {
        /// The process id of the agent
        #[arg(value_parser = clap::value_parser!(i32).range(1..))]
        agent: i32,
    },
    /// Run a command with the identity of a user and a limit on open files
    RunAs {
        /// User, group, groups, limit, `--`, program, name and arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
}

/// Runs a helper.
pub fn run(helper: &Helper) -> ExitCode {
    match helper {
        Helper::Guard { agent } => match guard(*agent) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        },
        Helper::RunAs { words } => {
            eprintln!("{}", child_process::run_as(words));
            ExitCode::from(CANNOT_RUN)
        }
    }
}

fn guard(agent: i32) -> io::Result<()> {
    let agent = Pid::from_raw(agent);
    let agent = agent.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "expected the id of a process"))?;
    child_process::run_guard(io::stdin().lock(), agent)
}

/// Prepares this process for many children: raises a low limit on descriptors, starts the guard, and makes commands run with
/// the identity of other users. Returns a message for each that failed; the agent works without them.
pub fn prepare() -> Vec<String> {
    let program = PathBuf::from(OWN_PROGRAM);
    let helper = |name: &str| [program.clone().into_os_string(), "helper".into(), name.into()];
    child_process::set_helper(helper("run-as").to_vec());
    let mut guard = Command::new(&program);
    guard.args(&helper("guard")[1..]);
    let limit = child_process::raise_low_descriptor_limit();
    let guard = child_process::start_guard(guard);
    let limit = limit.err().map(|error| format!("cannot raise the limit on open files: {error}"));
    let guard = guard.err().map(|error| format!("cannot start the process that guards commands: {error}"));
    limit.into_iter().chain(guard).collect()
}
