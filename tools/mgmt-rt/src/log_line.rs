//! What a line of the text log starts with.

use std::io::IsTerminal as _;
use std::os::unix::fs::MetadataExt as _;

/// How important a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Error,
    Warning,
    Info,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "info",
        }
    }

    /// Returns the priority of syslog.
    fn priority(self) -> u8 {
        match self {
            Level::Error => 3,
            Level::Warning => 4,
            Level::Info => 6,
        }
    }
}

/// The format of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFormat {
    /// The text alone: for people who watch.
    Plain,
    /// With the time and the level: for a file.
    Timed,
    /// With the priority, which systemd's journal takes off again.
    Journal,
}

impl LineFormat {
    /// Returns the format for this process. `keeps_running` is true for an agent that runs until it is stopped.
    pub fn new(keeps_running: bool) -> LineFormat {
        if is_journal() {
            LineFormat::Journal
        } else if keeps_running && !std::io::stdout().is_terminal() {
            LineFormat::Timed
        } else {
            LineFormat::Plain
        }
    }

    /// Returns the line, in this color of a terminal if it is not empty.
    pub fn format(self, level: Level, color: &str, text: &str) -> String {
        match self {
            LineFormat::Plain if color.is_empty() => format!("{text}\n"),
            LineFormat::Plain => format!("\x1b[{color}m{text}\x1b[0m\n"),
            LineFormat::Timed => format!("{:.3} {:<7} {text}\n", jiff::Timestamp::now(), level.name()),
            LineFormat::Journal => format!("<{}>{text}\n", level.priority()),
        }
    }
}

/// Whether standard error goes to systemd's journal, which says so with the device and the inode of the stream.
fn is_journal() -> bool {
    let Ok(stream) = std::env::var("JOURNAL_STREAM") else { return false };
    let own = std::fs::metadata("/proc/self/fd/2").map(|stream| format!("{}:{}", stream.dev(), stream.ino()));
    own.is_ok_and(|own| own == stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_carry_what_their_reader_needs() {
        assert_eq!(LineFormat::Plain.format(Level::Error, "", "x"), "x\n");
        assert_eq!(LineFormat::Plain.format(Level::Error, "31", "x"), "\x1b[31mx\x1b[0m\n");
        assert_eq!(LineFormat::Journal.format(Level::Warning, "31", "x"), "<4>x\n");
        let line = LineFormat::Timed.format(Level::Info, "", "x");
        let (time, rest) = line.split_once(' ').expect("a time");
        assert_eq!(rest, "info    x\n");
        assert!(time.parse::<jiff::Timestamp>().is_ok() && time.ends_with('Z'), "{time}");
    }
}
