//! Running the machine's own tools: `useradd`, `apt-get`, `systemctl` (spec 05 §5.5).

use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::{Cancel, CancelLevel, Failure};

/// A command line, built word by word.
pub(crate) struct Tool {
    name: &'static str,
    command: Command,
}

/// What a tool printed, and how it ended.
pub(crate) struct Output {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Where the program is: on the `PATH`, or where administrators' tools are.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(PathBuf::from);
    std::env::split_paths(&path).chain(system).map(|d| d.join(program)).find(|p| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(p).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    })
}

impl Tool {
    /// A tool without arguments. It speaks the C locale, so that what it prints can be read.
    ///
    /// # Errors
    /// The tool is not installed.
    pub(crate) fn new(name: &'static str) -> Result<Tool, Failure> {
        let Some(program) = find(name) else {
            return Err(Failure::Unavailable(format!("the tool `{name}` is not installed on this machine")));
        };
        let mut command = Command::new(program);
        command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        Ok(Tool { name, command })
    }

    /// Adds words.
    pub(crate) fn args<S: AsRef<std::ffi::OsStr>>(&mut self, words: impl IntoIterator<Item = S>) -> &mut Tool {
        self.command.args(words);
        self
    }

    /// Adds a variable to the environment.
    pub(crate) fn env(&mut self, name: &str, value: &str) -> &mut Tool {
        self.command.env(name, value);
        self
    }

    /// Runs it and expects success.
    ///
    /// # Errors
    /// What it printed on standard error if it failed.
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
        let said = [&output.stderr, &output.stdout].into_iter().map(|s| s.trim()).find(|s| !s.is_empty()).unwrap_or("");
        let said: String =
            said.lines().rev().take(5).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("; ");
        let separator = if said.is_empty() { "" } else { ": " };
        Err(Failure::Command(format!("`{}` failed with {how}{separator}{said}", self.name)))
    }

    /// Runs it, whatever the result. A request to cancel is passed on to it and all its children.
    ///
    /// # Errors
    /// It cannot be started, or was cancelled.
    pub(crate) fn output(&mut self, cancel: &Cancel) -> Result<Output, Failure> {
        let mut child = self.command.spawn().map_err(Failure::on("run", std::path::Path::new(self.name)))?;
        let mut printed = [Vec::new(), Vec::new()];
        let signalled = collect(&mut child, &mut printed, cancel);
        let status = child.wait().map_err(Failure::on("wait for", std::path::Path::new(self.name)))?;
        if signalled {
            return Err(Failure::Cancelled);
        }
        let [stdout, stderr] = printed.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Output { status, stdout, stderr })
    }
}

/// Reads both streams until the process has ended and nothing more is there; whether it was told to stop. A child of the
/// process that keeps a stream open is not waited for.
fn collect(child: &mut Child, printed: &mut [Vec<u8>; 2], cancel: &Cancel) -> bool {
    let (Some(mut stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else { return false };
    let pid = Pid::from_child(child);
    let ended = pidfd_open(pid, PidfdFlags::empty()).ok();
    let mut open = [true, true];
    let mut told = CancelLevel::None;
    let mut buffer = [0_u8; 16 * 1024];
    loop {
        let level = cancel.level();
        if level > told {
            told = level;
            let signal = if level == CancelLevel::Kill { Signal::KILL } else { Signal::TERM };
            let _ = kill_process_group(pid, signal);
        }
        let requests = cancel.fd();
        let has_ended = matches!(child.try_wait(), Ok(Some(_)) | Err(_));
        if has_ended && !open[0] && !open[1] {
            break;
        }
        // The streams first, so that their place in the list is known.
        let streams = [stdout.as_fd(), stderr.as_fd()];
        let flags = open.map(|open| if open { PollFlags::IN } else { PollFlags::empty() });
        let mut fds = vec![PollFd::new(&streams[0], flags[0]), PollFd::new(&streams[1], flags[1])];
        if let Some(ended) = ended.as_ref().filter(|_| !has_ended) {
            fds.push(PollFd::new(ended, PollFlags::IN));
        }
        if let Some(requests) = requests.as_ref().filter(|_| told == CancelLevel::None) {
            fds.push(PollFd::new(requests, PollFlags::IN));
        }
        // Without descriptors for the end or for requests we have to look now and then.
        let blind = ended.is_none() || requests.is_none() || told != CancelLevel::None;
        let timeout = match (has_ended, blind) {
            (true, _) => Some(Timespec { tv_sec: 0, tv_nsec: 0 }),
            (false, true) => Some(Timespec { tv_sec: 0, tv_nsec: 50_000_000 }),
            (false, false) => None,
        };
        if poll(&mut fds, timeout.as_ref()).is_err() {
            continue;
        }
        let ready = [fds[0].revents(), fds[1].revents()].map(|events| !events.is_empty());
        if has_ended && !(ready[0] && open[0]) && !(ready[1] && open[1]) {
            break;
        }
        for (i, stream) in [&mut stdout as &mut dyn Read, &mut stderr].into_iter().enumerate() {
            if open[i] && ready[i] {
                match stream.read(&mut buffer) {
                    Ok(0) | Err(_) => open[i] = false,
                    Ok(n) => printed[i].extend_from_slice(&buffer[..n]),
                }
            }
        }
    }
    told != CancelLevel::None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;

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
    fn a_failure_tells_what_was_printed() {
        let error = shell("echo bad thing >&2; exit 3").run(&Cancel::new()).unwrap_err().to_string();
        assert_eq!(error, "`sh` failed with exit status 3: bad thing");
        assert!(Tool::new("no-such-tool").is_err());
    }

    #[test]
    fn a_child_that_stays_is_not_waited_for() {
        let start = Instant::now();
        assert_eq!(shell("sleep 30 & echo x").run(&Cancel::new()).unwrap(), "x\n");
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_request_ends_the_tool_and_its_children() {
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
