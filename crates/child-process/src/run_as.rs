//! Running a command as another user.
//!
//! The standard library can set the user and the group of a child, but not its supplementary groups, and a thread of this
//! process must not take another user's identity: that user could send it signals. So a helper process, which is this
//! program under another name, takes the identity and becomes the command.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use rustix::fs::{Access, access};
use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

/// The start of the helper's command line.
static HELPER: OnceLock<Vec<OsString>> = OnceLock::new();

/// An identity for a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The user id.
    pub user: u32,
    /// The primary group id.
    pub group: u32,
    /// The supplementary group ids.
    pub groups: Vec<u32>,
}

/// Sets the command line of the helper: a program that calls [`run_as`] with the arguments that follow. A second call does
/// nothing.
pub fn set_helper(words: Vec<OsString>) {
    let _ = HELPER.set(words);
}

/// Returns a command that runs a program with this identity, under the name `name`. Without a helper, it has no
/// supplementary groups.
#[must_use]
pub fn command_as(identity: &Identity, program: &Path, name: &str) -> Command {
    let Some([helper, words @ ..]) = HELPER.get().map(Vec::as_slice) else {
        let mut command = Command::new(program);
        // The standard library drops the groups of this process.
        command.arg0(name).gid(identity.group).uid(identity.user);
        return command;
    };
    let groups = identity.groups.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let mut command = Command::new(helper);
    command.args(words).args([identity.user.to_string(), identity.group.to_string(), groups]);
    command.arg("--").arg(program).arg(name);
    command
}

/// Takes the identity that the arguments describe, and becomes the command: user, group, groups separated by commas, `--`,
/// program, name, arguments. Returns only if that fails. The process must have one thread.
#[must_use]
pub fn run_as(arguments: &[OsString]) -> io::Error {
    let [user, group, groups, _, program, name, rest @ ..] = arguments else {
        return io::Error::new(io::ErrorKind::InvalidInput, "missing arguments");
    };
    match take_identity(user, group, groups) {
        Ok(()) => Command::new(program).arg0(name).args(rest).exec(),
        Err(error) => error,
    }
}

fn take_identity(user: &OsStr, group: &OsStr, groups: &OsStr) -> io::Result<()> {
    let groups = groups.to_str().unwrap_or_default().split(',').filter(|group| !group.is_empty());
    let groups = groups.map(|group| number(group.as_ref()).map(Gid::from_raw)).collect::<io::Result<Vec<Gid>>>()?;
    let (user, group) = (Uid::from_raw(number(user)?), Gid::from_raw(number(group)?));
    set_thread_groups(&groups)?;
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)?;
    access(".", Access::EXEC_OK).map_err(|error| {
        let directory = std::env::current_dir().map_or_else(|_| ".".to_owned(), |path| path.display().to_string());
        io::Error::new(error.kind(), format!("the user cannot enter the working directory {directory}"))
    })
}

fn number(text: &OsStr) -> io::Result<u32> {
    let number = text.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "expected a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_identity_runs_nothing() {
        let arguments = |words: &str| words.split(' ').map(OsString::from).collect::<Vec<_>>();
        for words in ["1000 1000", "x 1000  -- /bin/true true", "1000 1000 1,x -- /bin/true true"] {
            assert_eq!(run_as(&arguments(words)).kind(), io::ErrorKind::InvalidInput, "{words}");
        }
    }
}
