//! `os.system`: a running shell command whose lines of output are a value that changes.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use mcl_value::Value;

use crate::args::Args;
use crate::golang::os::go_error;
use crate::table::{Outcome, ok};
use crate::{FunctionError, Live, LiveContext};

/// A line longer than this ends the reading.
const MAX_LINE: u64 = 64 * 1024;
/// How long the first call waits for the first line: most commands print at once, and then the first result of the
/// program is already whole. Slower ones are waited for without blocking anything.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Default)]
pub(super) struct System {
    running: Option<Running>,
    /// What the last command printed, until the next one prints something.
    last: Option<Value>,
}

struct Running {
    command: Vec<u8>,
    child: Child,
    output: Arc<Output>,
}

#[derive(Default)]
struct Output {
    state: Mutex<OutputState>,
    changed: Condvar,
}

#[derive(Default)]
struct OutputState {
    /// The newest line that nobody has taken yet.
    line: Option<Vec<u8>>,
    ended: bool,
}

impl Output {
    fn set(&self, change: impl FnOnce(&mut OutputState)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    fn take(&self, patience: Duration) -> Option<Vec<u8>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let nothing_yet = |state: &mut OutputState| state.line.is_none() && !state.ended;
        let (mut state, _) =
            self.changed.wait_timeout_while(state, patience, nothing_yet).unwrap_or_else(PoisonError::into_inner);
        state.line.take()
    }
}

impl Live for System {
    fn call(&mut self, cx: &mut dyn LiveContext, args: &[Value]) -> Outcome {
        let command = args.bytes(0)?;
        let mut patience = Duration::ZERO;
        if self.running.as_ref().is_none_or(|running| running.command != command) {
            self.running = None;
            if self.last.is_none() {
                patience = PATIENCE;
            }
            let started = start(command, cx.waker());
            let shown = String::from_utf8_lossy(command);
            let failure = |error| FunctionError::fatal(format!("could not start `{shown}`: {}", go_error(&error)));
            self.running = Some(started.map_err(failure)?);
        }
        if let Some(running) = &mut self.running {
            // An ended process is reaped as soon as it is noticed.
            let _ = running.child.try_wait();
            if let Some(line) = running.output.take(patience) {
                self.last = Some(line.into());
            }
        }
        match &self.last {
            Some(line) => ok(line.clone()),
            None => {
                cx.not_ready();
                ok("")
            }
        }
    }
}

fn start(command: &[u8], waker: Arc<dyn Fn() + Send + Sync>) -> std::io::Result<Running> {
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(OsStr::from_bytes(command))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let output = Arc::new(Output::default());
    if let Some(stdout) = child.stdout.take() {
        let output = output.clone();
        std::thread::Builder::new().name("os.system".to_owned()).spawn(move || {
            read_lines(stdout, |line| {
                output.set(|state| state.line = Some(line));
                waker();
            });
            output.set(|state| state.ended = true);
            // So that the process is reaped.
            waker();
        })?;
    }
    Ok(Running { command: command.to_vec(), child, output })
}

fn read_lines(source: impl Read, mut each: impl FnMut(Vec<u8>)) {
    let mut reader = BufReader::new(source);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 >= MAX_LINE => return,
            Ok(_) => {}
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        each(line);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The command is a group of its own, so what it started ends with it.
        if !matches!(self.child.try_wait(), Ok(Some(_)))
            && let Ok(raw) = i32::try_from(self.child.id())
            && let Some(pid) = rustix::process::Pid::from_raw(raw)
        {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
            let _ = self.child.wait();
        }
    }
}
