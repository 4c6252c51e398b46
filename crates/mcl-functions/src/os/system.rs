//! `os.system`: runs a shell command whose last line of output is the value.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use child_process::ProcessGroup;
use go_compat::os::error_text;
use mcl_value::Value;

use crate::args::Args;
use crate::table::{Outcome, ok};
use crate::{COMMANDS_DISABLED, FunctionError, Stream, StreamContext};

/// Maximum length of a line in bytes; reading stops at a longer one.
const MAX_LINE: u64 = 64 * 1024;

/// How often to check whether a command that has closed its output has exited.
const REAP_INTERVAL: Duration = Duration::from_secs(1);

/// Shown if the command exits without output: there is no value until the command changes.
const ENDED: &str = "the command exited without printing a line";

#[derive(Default)]
pub(super) struct System {
    running: Option<Running>,
    /// The last line, which remains the value of the next command until that prints a line.
    last: Option<Value>,
}

struct Running {
    command: Vec<u8>,
    group: ProcessGroup,
    output: Arc<Output>,
}

/// The output of the command.
#[derive(Default)]
struct Output(Mutex<OutputState>);

#[derive(Default)]
struct OutputState {
    /// The last line, unless it has been taken already.
    newest: Option<Vec<u8>>,
    /// Whether the command has closed its output.
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
        if !cx.may_run_commands() {
            cx.not_ready(COMMANDS_DISABLED);
            return ok("");
        }
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
                // The process usually exits right after closing its output, and must be reaped.
                ended = matches!(running.group.try_wait(), Ok(Some(_)));
                if !ended {
                    cx.wake_after(REAP_INTERVAL);
                }
            }
        }
        match &self.last {
            Some(line) => ok(line.clone()),
            None => {
                cx.not_ready(if ended { ENDED } else { "the command has not printed a line yet" });
                ok("")
            }
        }
    }
}

fn start(command: &[u8], waker: Arc<dyn Fn() + Send + Sync>) -> std::io::Result<Running> {
    let mut shell = child_process::command_as(None, Path::new("sh"), "sh");
    shell.arg("-c").arg(OsStr::from_bytes(command)).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut group = child_process::spawn(&mut shell, &|| false)?;
    let output = Arc::new(Output::default());
    if let Some(stdout) = group.child().stdout.take() {
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
    Ok(Running { command: command.to_vec(), group, output })
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
        self.group.kill();
    }
}
