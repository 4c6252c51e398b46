//! Runs the machine's own tools: `useradd`, `apt-get`, `systemctl` (spec 05 §5.5).

use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use rustix::process::Signal;

use crate::process::{self, find_program, supervise};
use crate::{Cancel, Failure};

/// Maximum number of lines of a failed tool's output in the message.
const MAX_MESSAGE_LINES: usize = 5;

/// A command line under construction.
pub(crate) struct Tool {
    name: &'static str,
    command: Command,
}

/// The output and the exit status of a tool.
pub(crate) struct ToolOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Tool {
    /// Returns a tool without arguments, in the C locale, so that its output can be parsed.
    ///
    /// # Errors
    /// The tool is not installed.
    pub(crate) fn new(name: &'static str) -> Result<Tool, Failure> {
        let Some(program) = find_program(name) else {
            return Err(Failure::Unavailable(format!("the tool `{name}` is not installed on this machine")));
        };
        let mut command = child_process::command_as(None, &program, name);
        command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(Tool { name, command })
    }

    /// Adds arguments.
    pub(crate) fn args<S: AsRef<OsStr>>(&mut self, arguments: impl IntoIterator<Item = S>) -> &mut Tool {
        self.command.args(arguments);
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(&mut self, name: &str, value: &str) -> &mut Tool {
        self.command.env(name, value);
        self
    }

    /// Runs the tool and returns its standard output.
    ///
    /// # Errors
    /// The tool failed; the message has the end of its standard error, or of its standard output if that is empty.
    pub(crate) fn run(&mut self, cancel: &Cancel) -> Result<String, Failure> {
        let output = self.output(cancel)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let how = match (output.status.code(), output.status.signal()) {
            (Some(code), _) => format!("exit status {code}"),
            (None, Some(signal)) => format!("killed by signal {signal}"),
            (None, None) => "unknown status".to_owned(),
        };
        let message = [&output.stderr, &output.stdout].map(|s| s.trim()).into_iter().find(|s| !s.is_empty());
        let lines: Vec<&str> = message.unwrap_or_default().lines().collect();
        let last = lines[lines.len().saturating_sub(MAX_MESSAGE_LINES)..].join("; ");
        let separator = if last.is_empty() { "" } else { ": " };
        Err(Failure::Command(format!("`{}` failed with {how}{separator}{last}", self.name)))
    }

    /// Runs the tool, whatever its exit status. A cancellation is passed on to it and all its children.
    ///
    /// # Errors
    /// The tool cannot be started, or was cancelled.
    pub(crate) fn output(&mut self, cancel: &Cancel) -> Result<ToolOutput, Failure> {
        let child = child_process::spawn(&mut self.command, &|| cancel.is_cancelled())
            .map_err(Failure::on("run", Path::new(self.name)))?;
        let mut output = process::Output::default();
        let status = supervise(child, Signal::TERM, cancel, &mut |stream, bytes| output.push(stream, bytes))
            .map_err(Failure::on("wait for", Path::new(self.name)))?;
        let Some(status) = status else { return Err(Failure::Cancelled) };
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(ToolOutput { status, stdout, stderr })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::CancelLevel;

    fn shell(script: &str) -> Tool {
        let mut tool = Tool::new("sh").unwrap();
        tool.args(["-c", script]);
        tool
    }

    #[test]
    fn both_streams_are_read_to_their_end() {
        let script = "i=0; while [ $i -lt 5000 ]; do echo 0123456789; echo abcdefghij >&2; i=$((i+1)); done";
        let output = shell(script).output(&Cancel::new()).unwrap();
        assert_eq!((output.stdout.len(), output.stderr.len()), (55_000, 55_000));
    }

    #[test]
    fn a_failure_includes_the_output() {
        let error = shell("echo bad thing >&2; exit 3").run(&Cancel::new()).unwrap_err().to_string();
        assert_eq!(error, "`sh` failed with exit status 3: bad thing");
        assert!(Tool::new("no-such-tool").is_err());
    }

    #[test]
    fn a_background_child_is_not_waited_for() {
        let start = Instant::now();
        assert_eq!(shell("sleep 30 & echo x").run(&Cancel::new()).unwrap(), "x\n");
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn cancelling_stops_the_tool_and_its_children() {
        let cancel = Cancel::new();
        let start = Instant::now();
        let requester = {
            let cancel = Arc::clone(&cancel);
            std::thread::spawn(move || cancel.request(CancelLevel::Cancel))
        };
        let result = shell("sleep 30; echo x").output(&cancel);
        assert!(matches!(result, Err(Failure::Cancelled)));
        assert!(start.elapsed() < Duration::from_secs(20));
        requester.join().unwrap();
    }
}
