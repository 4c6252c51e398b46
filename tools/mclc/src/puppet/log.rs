//! The messages of manifests, as lines.

use mcl_diagnostics::{Files, Span};
use pp_evaluator::LogEntry;
use pp_functions::LogLevel;
use serde_json::{Map, Value, json};

use crate::format::Format;
use crate::puppet::common_options::MessageLevel;

/// Returns the messages from a level on: lines as Puppet prints them, or a JSON object each.
pub fn text(log: &[LogEntry], files: &Files, least: MessageLevel, format: Format, color: bool) -> String {
    let shown = log.iter().filter(|entry| severity(entry.level) >= severity(least.into()));
    match format {
        Format::Json | Format::Sarif | Format::GitLab => shown.map(|entry| object(entry, files)).collect(),
        Format::Human | Format::Short | Format::GitHub => shown.map(|entry| line(entry, files, color)).collect(),
    }
}

impl From<MessageLevel> for LogLevel {
    fn from(level: MessageLevel) -> LogLevel {
        match level {
            MessageLevel::Debug => LogLevel::Debug,
            MessageLevel::Info => LogLevel::Info,
            MessageLevel::Notice => LogLevel::Notice,
            MessageLevel::Warning => LogLevel::Warning,
            MessageLevel::Err => LogLevel::Err,
        }
    }
}

/// The order of the levels.
fn severity(level: LogLevel) -> u8 {
    match level {
        LogLevel::Debug => 0,
        LogLevel::Info => 1,
        LogLevel::Notice => 2,
        LogLevel::Warning => 3,
        LogLevel::Err => 4,
        LogLevel::Alert => 5,
        LogLevel::Emerg => 6,
        LogLevel::Crit => 7,
    }
}

/// The name of a level in the log, the name in front of a line, and the color of the line.
fn names(level: LogLevel) -> (&'static str, &'static str, &'static str) {
    const GREEN: &str = "\x1b[32m";
    const CYAN: &str = "\x1b[36m";
    const YELLOW: &str = "\x1b[33m";
    const RED: &str = "\x1b[31m";
    match level {
        LogLevel::Debug => ("debug", "Debug", ""),
        LogLevel::Info => ("info", "Info", GREEN),
        LogLevel::Notice => ("notice", "Notice", CYAN),
        LogLevel::Warning => ("warning", "Warning", YELLOW),
        LogLevel::Err => ("err", "Error", RED),
        LogLevel::Alert => ("alert", "Alert", RED),
        LogLevel::Emerg => ("emerg", "Emergency", RED),
        LogLevel::Crit => ("crit", "Critical", RED),
    }
}

fn line(entry: &LogEntry, files: &Files, color: bool) -> String {
    let (_, label, start) = names(entry.level);
    let end = if start.is_empty() { "" } else { "\x1b[0m" };
    let (start, end) = if color { (start, end) } else { ("", "") };
    let scope = entry.scope.as_ref().map_or(String::new(), |scope| format!("Scope({scope}): "));
    // A message of the evaluation says where, since no scope does.
    let place = match entry.span.filter(|_| entry.scope.is_none()) {
        Some(span) => format!(" ({})", location(span, files)),
        None => String::new(),
    };
    let help = entry.help.as_ref().map_or(String::new(), |help| format!("  help: {help}\n"));
    format!("{start}{label}: {scope}{}{place}{end}\n{help}", entry.message)
}

fn location(span: Span, files: &Files) -> String {
    let at = files.line_col(span.file, span.start);
    let name = files.get(span.file).map_or("", |file| &file.name);
    format!("file: {name}, line: {}, column: {}", at.line, at.col)
}

fn object(entry: &LogEntry, files: &Files) -> String {
    let (level, _, _) = names(entry.level);
    let mut object = Map::new();
    object.insert("level".to_owned(), Value::from(level));
    object.insert("stage".to_owned(), Value::from("puppet"));
    if let Some(scope) = &entry.scope {
        object.insert("scope".to_owned(), Value::from(&**scope));
    }
    object.insert("message".to_owned(), Value::from(&*entry.message));
    if let Some(help) = &entry.help {
        object.insert("help".to_owned(), Value::from(&**help));
    }
    if let Some(span) = entry.span {
        let name = files.get(span.file).map_or("", |file| &file.name);
        let (start, end) = (files.line_col(span.file, span.start), files.line_col(span.file, span.end));
        object.insert("file".to_owned(), Value::from(name));
        let position = |at: mcl_diagnostics::LineCol| json!({"line": at.line, "col": at.col});
        object.insert("span".to_owned(), json!({"start": position(start), "end": position(end)}));
    }
    format!("{}\n", Value::Object(object))
}

#[cfg(test)]
mod tests {
    use mcl_diagnostics::FileId;

    use super::*;

    fn log() -> Vec<LogEntry> {
        let span = Span::new(FileId::MAIN, 2, 3);
        let entry = |level, scope: Option<&str>, message: &str| LogEntry {
            level,
            scope: scope.map(Into::into),
            message: message.to_owned(),
            span: Some(span),
            help: None,
        };
        vec![
            entry(LogLevel::Info, Some("Class[main]"), "hidden"),
            entry(LogLevel::Notice, Some("Class[main]"), "a\nb"),
            entry(LogLevel::Warning, None, "Unknown variable: 'x'."),
        ]
    }

    fn files() -> Files {
        let mut files = Files::default();
        files.add("site.pp", "a\nbc");
        files
    }

    #[test]
    fn messages_look_as_those_of_puppet() {
        let text = text(&log(), &files(), MessageLevel::Notice, Format::Human, false);
        let expected =
            "Notice: Scope(Class[main]): a\nb\nWarning: Unknown variable: 'x'. (file: site.pp, line: 2, column: 1)\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn messages_in_json_are_not_mistaken_for_diagnostics() {
        let text = text(&log()[1..2], &files(), MessageLevel::Notice, Format::Json, true);
        let expected = "{\"level\":\"notice\",\"stage\":\"puppet\",\"scope\":\"Class[main]\",\"message\":\"a\\nb\",\"file\":\"site.pp\",\
                        \"span\":{\"start\":{\"line\":2,\"col\":1},\"end\":{\"line\":2,\"col\":2}}}\n";
        assert_eq!(text, expected);
    }
}
