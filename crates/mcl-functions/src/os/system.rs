//! `os.system`: a running shell command whose lines of output are a value that changes.

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use mcl_value::Value;

use crate::args::Args;
use crate::golang::os::go_error;
use crate::table::{Outcome, ok};
use crate::{FunctionError, Live, LiveContext};

/// A line longer than this ends the reading.
const MAX_LINE: u64 = 64 * 1024;

#[derive(Default)]
pub(super) struct System {
    running: Option<Running>,
    /// What the last command printed, until the next one prints something.
    last: Option<Value>,
}

struct Running {
    command: Vec<u8>,
    child: Child,
    line: Arc<Mutex<Option<Vec<u8>>>>,
}

impl Live for System {
    fn call(&mut self, cx: &mut dyn LiveContext, args: &[Value]) -> Outcome {
        let command = args.bytes(0)?;
        if self.running.as_ref().is_none_or(|running| running.command != command) {
            self.running = None;
            let started = start(command, cx.waker());
            let started = started.map_err(|error| {
                FunctionError::fatal(format!(
                    "could not start `{}`: {}",
                    String::from_utf8_lossy(command),
                    go_error(&error)
                ))
            });
            self.running = Some(started?);
        }
        if let Some(running) = &mut self.running {
            // An ended process is reaped as soon as it is noticed.
            let _ = running.child.try_wait();
            if let Some(line) = running.line.lock().unwrap_or_else(PoisonError::into_inner).take() {
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
    let text = std::os::unix::ffi::OsStrExt::from_bytes(command);
    let mut child = Command::new("sh")
        .arg("-c")
        .arg::<&std::ffi::OsStr>(text)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let line = Arc::new(Mutex::new(None));
    if let Some(stdout) = child.stdout.take() {
        let slot = line.clone();
        std::thread::Builder::new().name("os.system".to_owned()).spawn(move || {
            let mut reader = BufReader::new(stdout);
            loop {
                let mut text = Vec::new();
                match reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut text) {
                    Ok(0) | Err(_) => break,
                    Ok(_) if text.last() != Some(&b'\n') && text.len() as u64 >= MAX_LINE => break,
                    Ok(_) => {}
                }
                if text.last() == Some(&b'\n') {
                    text.pop();
                }
                if text.last() == Some(&b'\r') {
                    text.pop();
                }
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                waker();
            }
            waker();
        })?;
    }
    Ok(Running { command: command.to_vec(), child, line })
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
