//! What `apply` shows while it runs: a line a change, a live line of progress on a terminal, a summary at the end.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use mcl_diagnostics::{Diagnostic, Files, Format};
use resource_graph::ResourceId;
use runtime::Status;
use runtime::shell::{Event, Observer, Summary};
use serde_json::json;

use crate::apply::place;
use crate::report;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One object a line
    Json,
}

/// How often the live line is drawn.
const INTERVAL: Duration = Duration::from_millis(200);

pub struct Printer<'f> {
    format: LogFormat,
    files: &'f Files,
    color: bool,
    /// Standard error is a terminal: the live line goes there.
    live: bool,
    drawn: bool,
    started: Instant,
    /// What was running when progress was shown last.
    running: usize,
    /// The last line that told how things stand while nothing is under way.
    rest: String,
    /// Requests to stop so far.
    stops: u32,
    /// The agent goes on when all is in its state.
    stays: bool,
}

impl<'f> Printer<'f> {
    /// `stays` says that the agent goes on when all is in its state.
    pub fn new(format: LogFormat, files: &'f Files, stays: bool) -> Printer<'f> {
        let color = std::io::stdout().is_terminal() && report::color_allowed();
        let live = format == LogFormat::Text && std::io::stderr().is_terminal();
        let started = Instant::now();
        Printer { format, files, color, live, drawn: false, started, running: 0, rest: String::new(), stops: 0, stays }
    }

    /// The last words.
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
            self.print(&self.paint("33", &format!("{id}: not applied: it waits for {on}")));
        }
        if let Some(more) = summary.blocked.len().checked_sub(20).filter(|n| *n > 0) {
            self.print(&format!("and {more} more that wait"));
        }
        let changes = match (summary.changes, noop) {
            (1, false) => "1 change".to_owned(),
            (n, false) => format!("{n} changes"),
            (1, true) => "1 change would be made".to_owned(),
            (n, true) => format!("{n} changes would be made"),
        };
        let mut parts = vec![format!("{} of {} resources in their state", summary.done, summary.total), changes];
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

    /// Nothing is under way: says how things stand, once, if the agent stays to watch.
    fn rest(&mut self, status: &Status) {
        self.clear();
        if !self.stays || status.total == 0 {
            return;
        }
        let mut text = format!("{} of {} resources in their state", status.done, status.total);
        if status.failed > 0 {
            text += &format!(", {} failed", status.failed);
        }
        if status.waiting > 0 {
            text += &format!(", {} waiting", status.waiting);
        }
        if self.rest != text {
            let _ = writeln!(std::io::stderr().lock(), "{text}; watching (^C ends)");
            self.rest = text;
        }
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn line(&self, value: &serde_json::Value) {
        // Standard output may be closed; the work goes on.
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
            Event::Said { id, text } => json!({"event": "message", "id": id.to_string(), "text": text}),
            Event::Failed { resource, failure, retry } => json!({
                "event": "failed", "id": resource.id.to_string(), "code": failure.code().name(),
                "text": failure.to_string(), "place": place(resource, self.files),
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

/// The columns of the terminal on standard error.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.ok().map(|size| usize::from(size.ws_col)).filter(|width| *width > 0).unwrap_or(80)
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
            Event::Said { id, text } => self.print(&format!("{id}: {text}")),
            Event::Failed { resource, failure, retry } => {
                let next = match retry {
                    None => String::new(),
                    Some((delay, left)) => {
                        let left = if left < 0 { String::new() } else { format!(", {left} left after that") };
                        format!(" (next attempt in {:.3} s{left})", delay.as_secs_f64())
                    }
                };
                let place = place(resource, self.files).map(|p| format!(" ({p})")).unwrap_or_default();
                let code = failure.code().name();
                let text = format!("error[{code}]: {}{place}: {failure}{next}", resource.id);
                self.clear();
                let color = std::io::stderr().is_terminal() && report::color_allowed();
                let text = if color { format!("\x1b[31m{text}\x1b[0m") } else { text };
                let _ = writeln!(std::io::stderr().lock(), "{text}");
            }
            Event::Stopping(text) if self.live && self.running > 0 => {
                let hint = match self.stops {
                    0 => "; what runs may finish, ^C again cancels it",
                    1 => "; ^C again kills it",
                    _ => "",
                };
                self.stops += 1;
                self.print(&format!("{text}{hint}"));
            }
            Event::Stopping(text) => self.print(text),
            Event::Swapped { .. } | Event::Converged | Event::Diverged | Event::Problem(_) => {}
        }
    }

    fn interval(&self) -> Option<Duration> {
        self.live.then_some(INTERVAL)
    }

    fn progress(&mut self, status: &Status, slow: &[(&ResourceId, Duration)]) {
        self.running = status.running;
        if status.quiet {
            return self.rest(status);
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
        // A longer line would wrap, and only its last row could be drawn anew.
        let text: String = text.chars().take(width().saturating_sub(1)).collect();
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K{text}");
        self.drawn = true;
    }
}
