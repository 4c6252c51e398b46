//! The output of `mgmt-rt apply`: a line per change, a progress line on a terminal, and a summary at the end.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use mcl_diagnostics::{Diagnostic, Files, Format};
use resource_graph::ResourceId;
use runtime::Status;
use runtime::agent::{Event, Observer, StatusReport, Summary};
use serde_json::json;

use crate::attempts::Attempts;
use crate::content_diff::{content_diff, hides_content};
use crate::log_line::{Level, LineFormat};
use crate::memory;
use crate::output::{Output, Stream};
use crate::printable::printable;
use crate::report::{self, counted, location};
use crate::service::ServiceManager;

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
    /// What a text line starts with.
    lines: LineFormat,
    output: Output,
    service: ServiceManager,
    files: &'f Files,
    /// The sources of the program that was loaded last, if it was loaded again.
    reloaded: Option<Files>,
    /// Whether nothing has converged since the last graph came.
    has_new_graph: bool,
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
            lines: LineFormat::new(keeps_running),
            output: Output::new(keeps_running),
            service: ServiceManager::new(),
            files,
            reloaded: None,
            has_new_graph: false,
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

    fn files(&self) -> &Files {
        self.reloaded.as_ref().unwrap_or(self.files)
    }

    /// Prints the summary, and waits until everything is printed.
    pub fn finish(&mut self, summary: &Summary, noop: bool) {
        self.service.stopping();
        self.print_summary(summary, noop);
        self.output.flush(self.keeps_running);
    }

    fn print_summary(&mut self, summary: &Summary, noop: bool) {
        let seconds = self.started.elapsed().as_secs_f64();
        if self.format == LogFormat::Json {
            let ids = |ids: &[ResourceId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
            let waiting: Vec<_> =
                summary.blocked.iter().map(|(id, on)| json!({"id": id.to_string(), "for": on.to_string()})).collect();
            let level = if summary.is_success() { Level::Info } else { Level::Error };
            return self.line(
                level,
                json!({
                    "event": "summary", "total": summary.total, "done": summary.done, "changes": summary.changes,
                    "failed": ids(&summary.failed), "waiting": waiting, "noop": noop, "seconds": seconds,
                }),
            );
        }
        if summary.source_failed && summary.total == 0 {
            return self.print(Level::Error, "31", "nothing was applied");
        }
        for (id, on) in summary.blocked.iter().take(20) {
            self.print(Level::Warning, "33", &format!("{id}: not applied: waiting for {on}"));
        }
        if let Some(more) = summary.blocked.len().checked_sub(20).filter(|n| *n > 0) {
            self.print(Level::Warning, "", &format!("… and {more} more waiting"));
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
        let (level, color) = if summary.is_success() { (Level::Info, "32") } else { (Level::Error, "31") };
        self.print(level, color, &text);
    }

    /// Prints the state of the resources while nothing is running, if it has changed and the agent keeps running.
    fn print_idle(&mut self, status: &Status) {
        self.clear();
        if !self.keeps_running || status.total == 0 {
            return;
        }
        let text = state(status);
        if self.idle_line != text {
            self.output.write(Stream::Err, format!("{text}; watching for changes (Ctrl-C to stop)\n"));
            self.idle_line = text;
        }
    }

    fn line(&self, level: Level, value: serde_json::Value) {
        let mut line = json!({"time": jiff::Timestamp::now().to_string(), "level": level.name()});
        if let (Some(line), serde_json::Value::Object(value)) = (line.as_object_mut(), value) {
            line.extend(value);
        }
        let text = format!("{line}\n");
        match level {
            // The last line tells how the run ended.
            _ if line["event"] == "summary" => self.output.write_always(Stream::Out, text),
            _ => self.output.write(Stream::Out, text),
        }
    }

    fn print(&mut self, level: Level, color: &str, text: &str) {
        self.clear();
        let color = if self.color { color } else { "" };
        self.output.write(Stream::Out, self.lines.format(level, color, &printable(text)));
    }

    fn print_error(&mut self, level: Level, text: &str) {
        self.clear();
        let has_color = std::io::stderr().is_terminal() && report::color_allowed();
        let color = if has_color { "31" } else { "" };
        self.output.write(Stream::Err, self.lines.format(level, color, &printable(text)));
    }

    /// Returns whether changes of content are shown: to people, who look at a run that ends by itself, and not in a log.
    pub fn shows_diffs(&self) -> bool {
        self.format == LogFormat::Text && !self.keeps_running && self.lines == LineFormat::Plain
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.drawn) {
            self.output.write(Stream::Err, "\r\x1b[K".to_owned());
        }
    }

    fn print_status(&mut self, report: &StatusReport) {
        if self.format == LogFormat::Json {
            let failing: Vec<_> =
                report.failing.iter().map(|(id, why)| json!({"id": id.to_string(), "text": why})).collect();
            let waiting: Vec<_> =
                report.waiting.iter().map(|(id, on)| json!({"id": id.to_string(), "for": on.to_string()})).collect();
            let status = &report.status;
            return self.line(
                Level::Info,
                json!({
                    "event": "status", "total": status.total, "done": status.done, "running": status.running,
                    "failing": failing, "waiting": waiting,
                }),
            );
        }
        self.print(Level::Info, "", &format!("{}, {} running", state(&report.status), report.status.running));
        for (id, why) in &report.failing {
            self.print(Level::Error, "31", &format!("{id}: failing: {why}"));
        }
        for (id, on) in &report.waiting {
            self.print(Level::Warning, "33", &format!("{id}: waiting for {on}"));
        }
    }

    fn json(&self, event: &Event<'_>) -> Option<serde_json::Value> {
        Some(match event {
            Event::Changed { resource, change, noop } => {
                json!({"event": "changed", "id": resource.id.to_string(), "text": change.text, "noop": noop})
            }
            Event::Message { id, text } => json!({"event": "message", "id": id.to_string(), "text": text}),
            Event::Failed { resource, failure, retry, attempt, failing_for, next_attempt } => json!({
                "event": "failed", "id": resource.id.to_string(), "code": failure.code().name(),
                "text": failure.to_string(), "place": location(resource, self.files()), "attempt": attempt,
                "failing_ms": failing_for.as_millis() as u64,
                "next_ms": next_attempt.map(|delay| delay.as_millis() as u64),
                "retry_ms": retry.map(|(delay, _)| delay.as_millis() as u64), "left": retry.map(|(_, left)| left),
            }),
            Event::Swapped { vertices, edges, kept } => {
                json!({"event": "graph", "vertices": vertices, "edges": edges, "kept": kept})
            }
            Event::Recovered { resource } => json!({"event": "recovered", "id": resource.id.to_string()}),
            Event::Converged(status) => json!({
                "event": "converged", "total": status.total, "done": status.done, "failed": status.failed,
            }),
            Event::Diverged => json!({"event": "diverged"}),
            Event::Stopping(text) => json!({"event": "stopping", "text": text}),
            Event::Reloading => json!({"event": "reloading"}),
            Event::Reloaded(program) => json!({"event": "reloaded", "changed": program.is_some()}),
            Event::Problem(_) | Event::Status(_) => return None,
        })
    }

    fn problem(&mut self, diagnostic: &Diagnostic) {
        self.clear();
        let format = if self.format == LogFormat::Json { Format::Json } else { Format::Human };
        self.output.write(Stream::Err, report::rendered(vec![diagnostic.clone()], self.files(), format));
    }

    /// Tells the service manager of an event, and remembers what later lines depend on.
    fn follow(&mut self, event: &Event<'_>) {
        match event {
            Event::Swapped { .. } => {
                self.service.ready();
                self.has_new_graph = true;
            }
            Event::Reloading => self.service.reloading(),
            Event::Reloaded(program) => {
                self.service.ready();
                if let Some(program) = program {
                    self.reloaded = Some(program.files.clone());
                }
            }
            Event::Converged(status) => {
                self.service.status(&state(status));
                if std::mem::take(&mut self.has_new_graph) {
                    memory::give_back();
                }
            }
            Event::Stopping(_) => self.service.stopping(),
            Event::Changed { .. }
            | Event::Message { .. }
            | Event::Failed { .. }
            | Event::Recovered { .. }
            | Event::Diverged
            | Event::Status(_)
            | Event::Problem(_) => {}
        }
    }

    /// Prints an event as text.
    fn print_event(&mut self, level: Level, event: Event<'_>) {
        match event {
            Event::Changed { resource, change, noop } => {
                let would = if noop { "would " } else { "" };
                let text = format!("{}: {would}{}", resource.id, change.text);
                self.print(level, if noop { "36" } else { "32" }, &text);
                if let Some(diff) = &change.diff {
                    let hidden = hides_content(resource, change);
                    self.output.write(Stream::Out, content_diff(diff, hidden, self.color));
                }
            }
            Event::Message { id, text } => self.print(level, "", &format!("{id}: {text}")),
            Event::Recovered { resource } => {
                self.print(level, "32", &format!("{}: works again", resource.id));
            }
            Event::Failed { resource, failure, retry, attempt, failing_for, next_attempt } => {
                let attempts = Attempts {
                    failed: attempt,
                    failing_for,
                    next: next_attempt.or(retry.map(|(delay, _)| delay)),
                    left: retry.and_then(|(_, left)| u32::try_from(left).ok()),
                };
                let location = location(resource, self.files()).map(|l| format!(" ({l})")).unwrap_or_default();
                let code = failure.code().name();
                let text = format!("error[{code}]: {}{location}: {failure}{}", resource.id, attempts.text());
                self.print_error(level, &text);
            }
            Event::Stopping(text) if self.shows_progress && self.running > 0 => {
                let hint = match self.stop_requests {
                    0 => "; waiting for running checks (Ctrl-C again to cancel them)",
                    1 => "; canceling running checks (Ctrl-C again to kill them)",
                    _ => "",
                };
                self.stop_requests += 1;
                self.print(level, "", &format!("{text}{hint}"));
            }
            Event::Stopping(text) => self.print(level, "", text),
            Event::Converged(status) if self.keeps_running && !self.shows_progress => {
                let text = state(status);
                if self.idle_line != text {
                    self.print(level, "", &text);
                    self.idle_line = text;
                }
            }
            Event::Reloading => self.print(level, "", "reloading the program"),
            Event::Reloaded(Some(_)) => self.print(level, "", "the program was loaded again"),
            Event::Reloaded(None) => self.print(level, "", "the running program stays in force"),
            Event::Swapped { .. } | Event::Converged(_) | Event::Diverged | Event::Problem(_) | Event::Status(_) => {}
        }
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

/// Returns the numbers of resources by their state, e.g. `2/3 resources converged, 1 failed`.
fn state(status: &Status) -> String {
    let mut text = converged(status.done, status.total);
    if status.failed > 0 {
        text += &format!(", {} failed", status.failed);
    }
    if status.waiting > 0 {
        text += &format!(", {} waiting", status.waiting);
    }
    text
}

/// Returns the level of an event.
fn level(event: &Event<'_>) -> Level {
    match event {
        Event::Failed { .. } | Event::Problem(_) => Level::Error,
        Event::Stopping(_) => Level::Warning,
        Event::Converged(status) if status.failed > 0 => Level::Warning,
        Event::Changed { .. }
        | Event::Message { .. }
        | Event::Recovered { .. }
        | Event::Swapped { .. }
        | Event::Converged(_)
        | Event::Diverged
        | Event::Reloading
        | Event::Reloaded(_)
        | Event::Status(_) => Level::Info,
    }
}

impl Observer for Printer<'_> {
    fn event(&mut self, event: Event<'_>) {
        self.follow(&event);
        if let Event::Status(report) = event {
            return self.print_status(report);
        }
        let level = level(&event);
        if let Event::Problem(diagnostic) = event {
            return self.problem(diagnostic);
        }
        if self.format == LogFormat::Json {
            if let Some(value) = self.json(&event) {
                self.line(level, value);
            }
            return;
        }
        self.print_event(level, event);
    }

    fn interval(&self) -> Option<Duration> {
        let progress = self.shows_progress.then_some(PROGRESS_INTERVAL);
        progress.into_iter().chain(self.service.interval()).min()
    }

    fn progress(&mut self, status: &Status, slow: &[(&ResourceId, Duration)]) {
        self.running = status.running;
        self.service.alive();
        if !self.shows_progress {
            return;
        }
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
        let text: String = printable(&text).chars().take(width().saturating_sub(1)).collect();
        self.output.write(Stream::Err, format!("\r\x1b[K{text}"));
        self.drawn = true;
    }
}
