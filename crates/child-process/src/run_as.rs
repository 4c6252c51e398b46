//! Running a command as another user, and with the limits that this process had at its start.
//!
//! The standard library can set the user and the group of a child, but not its supplementary groups, and a thread of this
//! process must not take another user's identity: that user could send it signals. So a helper process, which is this
//! program under another name, takes the identity and becomes the command. It also sets the limit on descriptors, so that the
//! command never sees that of this process.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;
use std::sync::OnceLock;

use rustix::fs::{Access, access};
use rustix::process::{Gid, Resource, Rlimit, Uid, getrlimit, setrlimit};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::limits::descriptor_limit_of_commands;

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

/// Returns a command that runs a program under the name `name`, with an identity, or that of this process. It has the limit
/// on descriptors that this process had at its start. Without a helper, another identity has no supplementary groups.
#[must_use]
pub fn command_as(identity: Option<&Identity>, program: &Path, name: &str) -> Command {
    let limit = descriptor_limit_of_commands();
    let helper = HELPER.get().filter(|_| identity.is_some() || limit.is_some());
    let Some([helper, words @ ..]) = helper.map(Vec::as_slice) else {
        let mut command = Command::new(program);
        command.arg0(name);
        if let Some(identity) = identity {
            // The standard library drops the groups of this process.
            command.gid(identity.group).uid(identity.user);
        }
        return command;
    };
    let groups = |identity: &Identity| identity.groups.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let identity = identity.map(|of| [of.user.to_string(), of.group.to_string(), groups(of)]).unwrap_or_default();
    let limit = limit.and_then(|limit| limit.current).map(|limit| limit.to_string()).unwrap_or_default();
    let mut command = Command::new(helper);
    command.args(words).args(identity).arg(limit).arg("--").arg(program).arg(name);
    command
}

/// Takes the identity and the soft limit on descriptors that the arguments describe, and becomes the command: user, group,
/// groups separated by commas, limit, `--`, program, name, arguments. What is empty stays as it is. Returns only if that
/// fails. The process must have one thread.
#[must_use]
pub fn run_as(arguments: &[OsString]) -> io::Error {
    let [user, group, groups, limit, _, program, name, rest @ ..] = arguments else {
        return io::Error::new(io::ErrorKind::InvalidInput, "missing arguments");
    };
    let prepare = || {
        if !limit.is_empty() {
            let maximum = getrlimit(Resource::Nofile).maximum;
            setrlimit(Resource::Nofile, Rlimit { current: Some(number(limit)?), maximum })?;
        }
        if user.is_empty() { Ok(()) } else { take_identity(user, group, groups) }
    };
    match prepare() {
        Ok(()) => Command::new(program).arg0(name).args(rest).exec(),
        Err(error) => error,
    }
}

fn take_identity(user: &OsStr, group: &OsStr, groups: &OsStr) -> io::Result<()> {
    let groups = groups.to_str().unwrap_or_default().split(',').filter(|group| !group.is_empty());
    let groups =
        groups.map(|group| number::<u32>(group.as_ref()).map(Gid::from_raw)).collect::<io::Result<Vec<Gid>>>()?;
    let (user, group) = (Uid::from_raw(number(user)?), Gid::from_raw(number(group)?));
    set_thread_groups(&groups)?;
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)?;
    access(".", Access::EXEC_OK).map_err(|error| {
        let directory = std::env::current_dir().map_or_else(|_| ".".to_owned(), |path| path.display().to_string());
        io::Error::new(error.kind(), format!("the user cannot enter the working directory {directory}"))
    })
}

fn number<N: FromStr>(text: &OsStr) -> io::Result<N> {
    let number = text.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "expected a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_identity_runs_nothing() {
        let arguments = |words: &str| words.split(' ').map(OsString::from).collect::<Vec<_>>();
        for words in
            ["1000 1000", "x 1000   -- /bin/true true", "1000 1000 1,x  -- /bin/true true", "   many -- /bin/true true"]
        {
            assert_eq!(run_as(&arguments(words)).kind(), io::ErrorKind::InvalidInput, "{words}");
        }
    }
}
