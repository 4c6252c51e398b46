//! `os.system`: a running shell command whose lines of output are a value that changes.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use go_compat::os::error_text;
use mcl_value::Value;

use crate::args::Args;
use crate::table::{Outcome, ok};
use crate::{FunctionError, Stream, StreamContext};

/// A line longer than this ends the reading.
const MAX_LINE: u64 = 64 * 1024;

/// How often to look whether a command that has closed its output has ended.
const REAP: Duration = Duration::from_secs(1);

/// It never will have a value, unless the command changes.
const ENDED: &str = "the command has ended without printing a line";

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

/// What the command has printed.
#[derive(Default)]
struct Output(Mutex<OutputState>);

#[derive(Default)]
struct OutputState {
    /// The newest line that nobody has taken yet.
    newest: Option<Vec<u8>>,
    /// There will be no more.
    closed: bool,
}

impl Output {
    fn lock(&self) -> MutexGuard<'_, OutputState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream for System {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let command = args.bytes(0)?;
        let mut ended = false;
        if self.running.as_ref().is_none_or(|running| running.command != command) {
            self.running = None;
            let started = start(command, cx.waker());
            let shown = String::from_utf8_lossy(command);
            let failure = |error| FunctionError::fatal(format!("could not start `{shown}`: {}", error_text(&error)));
            self.running = Some(started.map_err(failure)?);
        }
        if let Some(running) = &mut self.running {
            let mut output = running.output.lock();
            if let Some(line) = output.newest.take() {
                self.last = Some(line.into());
            }
            if output.closed {
                // The end of the process, which must be reaped, follows that of its output at once, as a rule.
                ended = matches!(running.child.try_wait(), Ok(Some(_)));
                if !ended {
                    cx.wake_after(REAP);
                }
            }
        }
        match &self.last {
            Some(line) => ok(line.clone()),
            None => {
                cx.not_ready(if ended { ENDED } else { "the command has printed no line yet" });
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
                output.lock().newest = Some(line);
                waker();
            });
            output.lock().closed = true;
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
