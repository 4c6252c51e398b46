//! The output of `mgmt-rt apply`: a line per change, a progress line on a terminal, and a summary at the end.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use mcl_diagnostics::{Diagnostic, Files, Format};
use resource_graph::ResourceId;
use runtime::Status;
use runtime::agent::{Event, Observer, Summary};
use serde_json::json;

use crate::report::{self, counted, location};

/// The output formats of `mgmt-rt apply`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// A line per change
    Text,
    /// One JSON object per line
    Json,
}

/// The time between two updates of the progress line.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Prints the events of an agent.
pub struct Printer<'f> {
    format: LogFormat,
    files: &'f Files,
    color: bool,
    /// Standard error is a terminal, so a progress line is shown there.
    shows_progress: bool,
    /// The progress line is on the screen.
    drawn: bool,
    started: Instant,
    /// The number of running checks at the last progress update.
    running: usize,
    /// The last line printed while nothing was running.
    idle_line: String,
    /// The number of stop requests so far.
    stop_requests: u32,
    /// The agent keeps running after everything has converged.
    keeps_running: bool,
}

impl<'f> Printer<'f> {
    /// Creates a printer. `keeps_running` is false for an agent that exits once everything has converged.
    pub fn new(format: LogFormat, files: &'f Files, keeps_running: bool) -> Printer<'f> {
        let color = std::io::stdout().is_terminal() && report::color_allowed();
        let shows_progress = format == LogFormat::Text && std::io::stderr().is_terminal();
        Printer {
            format,
            files,
            color,
            shows_progress,
            drawn: false,
            started: Instant::now(),
            running: 0,
            idle_line: String::new(),
            stop_requests: 0,
            keeps_running,
        }
    }

    /// Prints the summary.
    pub fn finish(&mut self, summary: &Summary, noop: bool) {
        let seconds = self.started.elapsed().as_secs_f64();
        if self.format == LogFormat::Json {
            let ids = |ids: &[ResourceId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
            let waiting: Vec<_> =
                summary.blocked.iter().map(|(id, on)| json!({"id": id.to_string(), "for": on.to_string()})).collect();
            return self.line(&json!({
                "event": "summary", "total": summary.total, "done": summary.done, "changes": summary.changes,
                "failed": ids(&summary.failed), "waiting": waiting, "noop": noop, "seconds": seconds,
            }));
        }
        if summary.source_failed && summary.total == 0 {
            return self.print(&self.paint("31", "nothing was applied"));
        }
        for (id, on) in summary.blocked.iter().take(20) {
            self.print(&self.paint("33", &format!("{id}: not applied: waiting for {on}")));
        }
        if let Some(more) = summary.blocked.len().checked_sub(20).filter(|n| *n > 0) {
            self.print(&format!("… and {more} more waiting"));
        }
        let changes = counted(summary.changes, if noop { "pending change" } else { "change" });
        let mut parts = vec![converged(summary.done, summary.total), changes];
        if !summary.failed.is_empty() {
            parts.push(format!("{} failed", summary.failed.len()));
        }
        if !summary.blocked.is_empty() {
            parts.push(format!("{} waiting", summary.blocked.len()));
        }
        let text = format!("{} ({seconds:.2} s)", parts.join(", "));
        let color = if summary.is_success() { "32" } else { "31" };
        self.print(&self.paint(color, &text));
    }

    /// Prints the state of the resources while nothing is running, if it has changed and the agent keeps running.
    fn print_idle(&mut self, status: &Status) {
        self.clear();
        if !self.keeps_running || status.total == 0 {
            return;
        }
        let mut text = converged(status.done, status.total);
        if status.failed > 0 {
            text += &format!(", {} failed", status.failed);
        }
        if status.waiting > 0 {
            text += &format!(", {} waiting", status.waiting);
        }
        if self.idle_line != text {
            let _ = writeln!(std::io::stderr().lock(), "{text}; watching for changes (Ctrl-C to stop)");
            self.idle_line = text;
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn line(&self, value: &serde_json::Value) {
        // Standard output may be closed. The agent continues regardless.
        let _ = writeln!(std::io::stdout().lock(), "{value}");
    }

    fn print(&mut self, text: &str) {
        self.clear();
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }

    fn json(&self, event: &Event<'_>) -> Option<serde_json::Value> {
        Some(match event {
            Event::Changed { resource, change, noop } => {
                json!({"event": "changed", "id": resource.id.to_string(), "text": change.text, "noop": noop})
            }
            Event::Message { id, text } => json!({"event": "message", "id": id.to_string(), "text": text}),
            Event::Failed { resource, failure, retry } => json!({
                "event": "failed", "id": resource.id.to_string(), "code": failure.code().name(),
                "text": failure.to_string(), "place": location(resource, self.files),
                "retry_ms": retry.map(|(delay, _)| delay.as_millis() as u64), "left": retry.map(|(_, left)| left),
            }),
            Event::Swapped { vertices, edges, kept } => {
                json!({"event": "graph", "vertices": vertices, "edges": edges, "kept": kept})
            }
            Event::Converged => json!({"event": "converged"}),
            Event::Diverged => json!({"event": "diverged"}),
            Event::Stopping(text) => json!({"event": "stopping", "text": text}),
            Event::Problem(_) => return None,
        })
    }

    fn problem(&mut self, diagnostic: &Diagnostic) {
        self.clear();
        let format = if self.format == LogFormat::Json { Format::Json } else { Format::Human };
        report::print(vec![diagnostic.clone()], self.files, format);
    }
}

/// Returns the number of columns of the terminal on standard error.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|width| *width > 0).unwrap_or(80)
}

/// Returns the share of resources that are in their desired state, e.g. `2/3 resources converged`.
fn converged(done: usize, total: usize) -> String {
    let noun = if total == 1 { "resource" } else { "resources" };
    format!("{done}/{total} {noun} converged")
}

impl Observer for Printer<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Problem(diagnostic) = event {
            return self.problem(diagnostic);
        }
        if self.format == LogFormat::Json {
            if let Some(value) = self.json(&event) {
                self.line(&value);
            }
            return;
        }
        match event {
            Event::Changed { resource, change, noop } => {
                let would = if noop { "would " } else { "" };
                let text = format!("{}: {would}{}", resource.id, change.text);
                self.print(&self.paint(if noop { "36" } else { "32" }, &text));
            }
            Event::Message { id, text } => self.print(&format!("{id}: {text}")),
            Event::Failed { resource, failure, retry } => {
                let next = match retry {
                    None => String::new(),
                    Some((delay, left)) => {
                        let left = if left < 0 { String::new() } else { format!(", {left} left after that") };
                        format!(" (retrying in {:.3} s{left})", delay.as_secs_f64())
                    }
                };
                let location = location(resource, self.files).map(|l| format!(" ({l})")).unwrap_or_default();
                let code = failure.code().name();
                let text = format!("error[{code}]: {}{location}: {failure}{next}", resource.id);
                self.clear();
                let color = std::io::stderr().is_terminal() && report::color_allowed();
                let text = if color { format!("\x1b[31m{text}\x1b[0m") } else { text };
                let _ = writeln!(std::io::stderr().lock(), "{text}");
            }
            Event::Stopping(text) if self.shows_progress && self.running > 0 => {
                let hint = match self.stop_requests {
                    0 => "; waiting for running checks (Ctrl-C again to cancel them)",
                    1 => "; canceling running checks (Ctrl-C again to kill them)",
                    _ => "",
                };
                self.stop_requests += 1;
                self.print(&format!("{text}{hint}"));
            }
            Event::Stopping(text) => self.print(text),
            Event::Swapped { .. } | Event::Converged | Event::Diverged | Event::Problem(_) => {}
        }
    }

    fn interval(&self) -> Option<Duration> {
        self.shows_progress.then_some(PROGRESS_INTERVAL)
    }

    fn progress(&mut self, status: &Status, slow: &[(&ResourceId, Duration)]) {
        self.running = status.running;
        if status.quiet {
            return self.print_idle(status);
        }
        if status.done + status.failed >= status.total && status.running == 0 {
            return self.clear();
        }
        let mut text = format!("{}/{} done, {} running", status.done, status.total, status.running);
        if status.waiting > 0 {
            text += &format!(", {} waiting", status.waiting);
        }
        if status.failed > 0 {
            text += &format!(", {} failed", status.failed);
        }
        if let Some((id, time)) = slow.first() {
            text += &format!("; {id} for {} s", time.as_secs());
        }
        // A longer line would wrap, and only its last row could be redrawn.
        let text: String = text.chars().take(width().saturating_sub(1)).collect();
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K{text}");
        self.drawn = true;
    }
}
