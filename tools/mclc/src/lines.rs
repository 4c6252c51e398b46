//! A range of lines on the command line.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Lines of a file, counted from 1: `10:20`, or `10` for one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines(pub RangeInclusive<u32>);

/// The text is not a range of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinesError;

impl fmt::Display for LinesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected two line numbers, the first one not after the second one, such as `10:20`")
    }
}

impl std::error::Error for LinesError {}

impl FromStr for Lines {
    type Err = LinesError;

    fn from_str(text: &str) -> Result<Lines, LinesError> {
        let (first, last) = text.split_once(':').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok(Lines(first..=last)),
            _ => Err(LinesError),
        }
    }
}
