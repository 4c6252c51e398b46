//! `example.vumeter`: the volume at the microphone.

use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, io};

use mcl_value::Value;

use crate::args::Args;
use crate::table::{Outcome, fatal, ok};
use crate::{FunctionError, Stream, StreamContext};

const REC: &str = "/usr/bin/rec";
const SOX: &str = "/usr/bin/sox";

/// Records on a thread until it is dropped.
#[derive(Default)]
pub(crate) struct Vumeter {
    listener: Option<Listener>,
}

/// Why the volume could not be measured.
#[derive(Clone, Debug)]
enum RecordingError {
    NotStarted { program: &'static str, cause: Arc<io::Error> },
    Failed { program: &'static str, status: ExitStatus },
    NoAmplitude,
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::NotStarted { program, cause } => write!(f, "{program}: {cause}"),
            RecordingError::Failed { program, status } => write!(f, "{program} failed: {status}"),
            RecordingError::NoAmplitude => write!(f, "{SOX} printed no amplitude"),
        }
    }
}

impl std::error::Error for RecordingError {}

struct Listener {
    ratio: Arc<Mutex<Option<Result<f64, RecordingError>>>>,
    stop: Arc<AtomicBool>,
}

impl Stream for Vumeter {
    fn call(&mut self, cx: &mut dyn StreamContext, args: &[Value]) -> Outcome {
        let (symbol, multiplier, peak) = (args.text(0)?, args.int(1)?, args.float(2)?);
        for program in [REC, SOX] {
            if !std::path::Path::new(program).exists() {
                return fatal(format!("missing program `{program}`"));
            }
        }
        if !cx.may_run_commands() {
            cx.not_ready(crate::COMMANDS_DISABLED);
            return ok("");
        }
        let listener = match &self.listener {
            Some(listener) => listener,
            None => self.listener.insert(listen(cx.waker())?),
        };
        let ratio = listener.ratio.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match ratio {
            None => {
                cx.not_ready("the first second is being recorded");
                ok("")
            }
            Some(Err(error)) => fatal(error.to_string()),
            Some(Ok(ratio)) => ok(bar(&symbol, multiplier, peak, ratio)),
        }
    }
}

fn bar(symbol: &str, multiplier: i64, peak: f64, ratio: f64) -> String {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let count = (ratio * multiplier as f64).round().clamp(1.0, 1000.0) as usize;
    let loud = if ratio > peak { " PEAK!!!" } else { "" };
    let bar = format!("{}{loud}", symbol.repeat(count));
    format!("({ratio:.6}):\n{bar}\n{bar}")
}

fn listen(waker: Arc<dyn Fn() + Send + Sync>) -> Result<Listener, FunctionError> {
    let (ratio, stop) = (Arc::new(Mutex::new(None)), Arc::new(AtomicBool::new(false)));
    let (slot, stopped) = (ratio.clone(), stop.clone());
    let run = move || {
        while !stopped.load(Ordering::Relaxed) {
            let measured = measure();
            let failed = measured.is_err();
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
            waker();
            if failed {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name("vumeter".to_owned())
        .spawn(run)
        .map_err(|error| FunctionError::fatal(format!("could not start a thread: {error}")))?;
    Ok(Listener { ratio, stop })
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Records one second of sound and returns its maximum amplitude.
fn measure() -> Result<f64, RecordingError> {
    let file = format!("/dev/shm/vumeter-{}.wav", std::process::id());
    let run = |program: &'static str, args: &[&str]| {
        let output = Command::new(program).args(args).stdin(Stdio::null()).output();
        let output = output.map_err(|error| RecordingError::NotStarted { program, cause: Arc::new(error) })?;
        let status = output.status;
        if status.success() { Ok(output) } else { Err(RecordingError::Failed { program, status }) }
    };
    let result = run(REC, &["-q", "-t", "wav", &file, "trim", "0", "1"]).and_then(|_| run(SOX, &[&file, "-n", "stat"]));
    let _ = std::fs::remove_file(&file);
    let report = String::from_utf8_lossy(&result?.stderr).into_owned();
    let line = report.lines().find_map(|line| line.strip_prefix("Maximum amplitude:"));
    line.and_then(|text| text.trim().parse().ok()).ok_or(RecordingError::NoAmplitude)
}
