//! The time of a run, as it is stored for later processes.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use safe_fs::Timestamp;

/// The start of a run. It is in the content of its file, not in the time of the file, which a crash could leave at the end of
/// the run: then a change of an input during the run would be missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp(Timestamp);

impl Stamp {
    pub(super) fn of(time: SystemTime) -> Stamp {
        let elapsed = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp((i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX), elapsed.subsec_nanos()))
    }

    /// Reads seconds since 1970 with any number of decimals. Returns `None` for anything else.
    pub(super) fn parse(text: &[u8]) -> Option<Stamp> {
        let text = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
        let (seconds, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = decimals.get(..9).unwrap_or(decimals);
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(seconds) && is_number(decimals)).then_some(())?;
        let nanoseconds = format!("{digits:0<9}").parse().ok()?;
        Some(Stamp((seconds.parse().ok()?, nanoseconds)))
    }

    /// Returns whether something was modified after the start of the run.
    pub(super) fn is_before(self, modified: Timestamp) -> bool {
        self.0 < modified
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stamp((seconds, nanoseconds)) = self;
        writeln!(f, "{seconds}.{nanoseconds:09}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamp_is_read_as_it_was_written() {
        for stamp in [Stamp((0, 0)), Stamp((1_763_829_132, 5)), Stamp((1_763_829_132, 999_999_999))] {
            assert_eq!(Stamp::parse(stamp.to_string().as_bytes()), Some(stamp));
        }
        // As earlier releases wrote it.
        assert_eq!(Stamp::parse(b"1763829132.25\n"), Some(Stamp((1_763_829_132, 250_000_000))));
        assert_eq!(Stamp::parse(b"17\n"), Some(Stamp((17, 0))));
    }

    #[test]
    fn torn_or_invalid_stamp_is_none() {
        for text in ["", "\n", "17", "17.5", "x\n", "17.\n", "-1.5\n", "1.5x\n", "1e3\n", "\u{0}\n"] {
            assert_eq!(Stamp::parse(text.as_bytes()), None, "{text:?}");
        }
    }
}
