//! Source text -> the same program in its one layout (spec 01 §8, spec 11 §4).
//!
//! [`format()`] walks over the tokens of a program without syntax errors (`layout.rs`), and writes them in lines (`printer.rs`). The
//! writer of the program decides only whether a list, a body or the arguments of a call are on one line or on several: by the place
//! of the first element. Comments keep their place: one that is alone on its line stays above what follows, one that is
//! behind code stays behind it. A comment inside of what is printed on one line goes to its end, or above it.
//!
//! What is between `# fmt: off` and `# fmt: on`, and a statement with `# fmt: skip`, is kept byte for byte (`ignored.rs`). Before the
//! result is returned, it is lexed again and compared with the program (`verify.rs`): tokens, but for optional commas and the
//! spelling of numbers, and comments are the same, in the same order.
//!
//! This crate knows nothing of names, types or files: a program with such errors is formatted all the same.

mod error;
mod ignored;
mod layout;
mod lines;
mod number;
mod printer;
mod program;
mod verify;

#[cfg(test)]
mod tests;

use std::ops::{Range, RangeInclusive};

use mcl_diagnostics::FileId;

pub use crate::error::FormatError;
use crate::printer::Printer;
use crate::program::Program;

/// Returns the program in its one layout. `file` is where its errors are.
///
/// # Errors
/// The text has syntax errors, or [`FormatError::Differs`].
pub fn format(file: FileId, text: &str) -> Result<String, FormatError> {
    let formatted = print(&Program::read(file, text)?);
    if formatted != text {
        verify::is_same_program(text, &formatted).map_err(FormatError::Differs)?;
        let again = Program::read(file, &formatted).map_err(|_| FormatError::Differs("it does not parse"))?;
        if print(&again) != formatted {
            return Err(FormatError::Differs("a second run changes it again"));
        }
    }
    Ok(formatted)
}

/// Formats the smallest run of whole statements or entries that covers some lines, counted from 1, and leaves the rest of the text
/// as it is.
///
/// # Errors
/// As for [`format()`].
pub fn format_lines(file: FileId, text: &str, lines: RangeInclusive<u32>) -> Result<String, FormatError> {
    let program = Program::read(file, text)?;
    let Some(run) = lines::covering(&program, lines) else { return Ok(text.to_owned()) };
    let mut formatted = text[..run.bytes.start].to_owned();
    formatted.push_str(&Printer::of_run(&program, &run).run());
    formatted.push_str(&text[run.bytes.end..]);
    verify::is_same_program(text, &formatted).map_err(FormatError::Differs)?;
    Program::read(file, &formatted).map_err(|_| FormatError::Differs("it does not parse"))?;
    Ok(formatted)
}

/// A replacement of whole lines by their one layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutEdit {
    /// The bytes that are replaced.
    pub bytes: Range<usize>,
    /// The lines in their one layout.
    pub text: String,
}

/// Returns for each of several ranges of lines what [`format_lines`] would change, `None` where that is nothing. The program is
/// read once.
///
/// # Errors
/// As for [`format()`].
pub fn layout_edits(
    file: FileId,
    text: &str,
    ranges: &[RangeInclusive<u32>],
) -> Result<Vec<Option<LayoutEdit>>, FormatError> {
    let program = Program::read(file, text)?;
    let edit = |lines: &RangeInclusive<u32>| {
        let run = lines::covering(&program, lines.clone())?;
        let new = Printer::of_run(&program, &run).run();
        (new != text[run.bytes.clone()]).then_some(LayoutEdit { bytes: run.bytes, text: new })
    };
    Ok(ranges.iter().map(edit).collect())
}

fn print(program: &Program<'_>) -> String {
    Printer::of_file(program).file()
}
