//! Command lines of `exec`: a process group of its own, exactly the requested environment, captured output, cancellable.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::mem::take;
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;

use child_process::{Identity, ProcessGroup, command_as};
use rustix::process::{Signal, geteuid};
use safe_fs::{Error, Files, Handle, LastLink};

use crate::file_access::failure;
use crate::process::{Output, Stream, find_program, supervise};
use crate::{Cancel, Failure};

/// Maximum length of the output in a message, in characters.
const MAX_MESSAGE_LENGTH: usize = 200;

/// A program with its arguments and its working directory.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandLine {
    /// The program and its arguments; never empty.
    pub(super) words: Vec<String>,
    /// The working directory; empty for that of the agent.
    pub(super) cwd: String,
}

/// The settings that all commands of a resource share.
#[derive(Clone, Debug)]
pub(super) struct CommandContext {
    pub(super) env: BTreeMap<String, String>,
    /// The signal that a cancellation sends.
    pub(super) cancel_signal: Signal,
    /// The identity of the command; `None` for that of the agent.
    pub(super) identity: Option<Identity>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Termination {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Signaled(i32),
}

impl CommandLine {
    /// Parses a command: passed to the shell as it is if there is one, else split at whitespace without quoting or expansion.
    /// Returns `None` for an empty command.
    pub(super) fn parse(command: &str, shell: &str, cwd: &str) -> Option<CommandLine> {
        let words: Vec<String> = if shell.is_empty() {
            command.split_whitespace().map(str::to_owned).collect()
        } else {
            vec![shell.to_owned(), "-c".to_owned(), command.to_owned()]
        };
        (!command.is_empty() && !words.is_empty()).then(|| CommandLine { words, cwd: cwd.to_owned() })
    }

    /// Runs the command and captures its output.
    pub(super) fn capture(&self, context: &CommandContext, cancel: &Cancel) -> Result<(Termination, Output), Failure> {
        let mut output = Output::default();
        let termination = self.run(context, cancel, &mut |stream, bytes| output.push(stream, bytes))?;
        Ok((termination, output))
    }

    /// Runs the command until it ends. A cancelled one counts as failed even if it exits with status 0.
    pub(super) fn run(
        &self,
        context: &CommandContext,
        cancel: &Cancel,
        sink: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Termination, Failure> {
        let group = self.spawn(context, cancel)?;
        match supervise(group, context.cancel_signal, cancel, sink) {
            Ok(Some(status)) => Ok(match status.signal() {
                Some(signal) => Termination::Signaled(signal),
                None => Termination::Exited(status.code().unwrap_or(-1)),
            }),
            Ok(None) => Err(Failure::Cancelled),
            Err(error) => Err(Failure::Command(format!("cannot wait for `{}`: {error}", self.words[0]))),
        }
    }

    fn spawn(&self, context: &CommandContext, cancel: &Cancel) -> Result<ProcessGroup, Failure> {
        let name = &self.words[0];
        let failed = |error: &dyn Display| Failure::Command(format!("cannot start `{name}`: {error}"));
        let program = find_program(name).ok_or_else(|| failed(&"no such program in PATH"))?;
        let mut command = match &context.identity {
            Some(_) if !geteuid().is_root() => {
                return Err(Failure::Refused("only root can run a command as another user".to_owned()));
            }
            identity => command_as(identity.as_ref(), &program, name),
        };
        command.args(&self.words[1..]);
        command.env_clear().envs(&context.env);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut entered = None;
        if !self.cwd.is_empty() {
            let directory = self.working_directory()?;
            let descriptor = directory.descriptor().map_err(Failure::on("open", Path::new(&self.cwd)))?;
            // What was found is entered, whatever has its name by then.
            command.current_dir(format!("/proc/self/fd/{}", descriptor.as_raw_fd()));
            entered = Some(directory);
        }
        let started = child_process::spawn(&mut command, &|| cancel.is_cancelled()).map_err(|error| {
            let text = error.to_string();
            failed(&text.rsplit_once(" (os error ").map_or(text.as_str(), |(message, _)| message))
        });
        drop(entered);
        started
    }

    /// Opens the working directory. A link that a user made is followed only to what is the user's.
    fn working_directory(&self) -> Result<Handle, Failure> {
        let path = Path::new(&self.cwd);
        let unusable = |error: std::io::Error| Failure::on("use the working directory", path)(error);
        let path = std::path::absolute(path).map_err(unusable)?;
        let found = Files::of_kernel().find(&path, LastLink::Follow).map_err(|error| match error {
            Error::Io { error, .. } => unusable(error),
            error => failure(error),
        })?;
        match found {
            Some(found) if found.stat.is_directory() => Ok(found.handle),
            Some(_) => Err(unusable(std::io::ErrorKind::NotADirectory.into())),
            None => Err(unusable(std::io::ErrorKind::NotFound.into())),
        }
    }
}

/// Returns the last line of standard error, or of standard output if that is empty, for a message.
pub(super) fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(if output.stderr.is_empty() { &output.stdout } else { &output.stderr });
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    line.chars().take(MAX_MESSAGE_LENGTH).collect()
}

/// Counts the non-empty lines of a command's output as they arrive.
#[derive(Default)]
pub(super) struct LineCounter {
    /// Whether the current line of each stream has at least one byte.
    started: [bool; 2],
}

impl LineCounter {
    /// Returns the number of non-empty lines that end within these bytes.
    pub(super) fn count(&mut self, stream: Stream, bytes: &[u8]) -> usize {
        let started = &mut self.started[stream as usize];
        let mut ended = 0;
        for byte in bytes {
            if *byte != b'\n' {
                *started = true;
            } else if take(started) {
                ended += 1;
            }
        }
        ended
    }
}
