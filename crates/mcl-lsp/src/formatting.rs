//! Formatting as edits of the changed lines (spec 11 §3.8). It needs only the text.

use std::ops::RangeInclusive;

use mcl_analysis::{Encoding, Source};
use mcl_diagnostics::FileId;
use mcl_format::{FormatError, format, format_lines};
use serde_json::{Value, json};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::convert;
use crate::message::RequestError;

/// Formats a text, or the statements or entries of some of its lines, counted from 1.
///
/// # Errors
/// The first syntax error of the text.
pub(crate) fn edits(
    source: &Source,
    lines: Option<RangeInclusive<u32>>,
    encoding: Encoding,
) -> Result<Value, RequestError> {
    let formatted = match lines {
        None => format(FileId::MAIN, &source.text),
        Some(lines) => format_lines(FileId::MAIN, &source.text, lines),
    };
    match formatted {
        Ok(formatted) => Ok(changed_lines(source, &formatted, encoding)),
        Err(FormatError::Syntax(errors)) => {
            let message = errors.into_iter().next().map(|error| error.message);
            Err(RequestError::Failed(message.unwrap_or_else(|| "the program has syntax errors".to_owned())))
        }
        Err(error @ FormatError::Differs(_)) => Err(RequestError::Failed(error.to_string())),
    }
}

/// Returns an edit for each run of lines that differ.
fn changed_lines(source: &Source, formatted: &str, encoding: Encoding) -> Value {
    if *source.text == *formatted {
        return json!([]);
    }
    let old: Vec<&str> = source.text.split_inclusive('\n').collect();
    let new: Vec<&str> = formatted.split_inclusive('\n').collect();
    let mut end = 0;
    let ends = old.iter().map(|line| {
        end += line.len() as u32;
        end
    });
    let starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let edits = capture_diff_slices(Algorithm::Myers, &old, &new).into_iter().filter_map(|op| {
        let (from, to) = (op.old_range(), op.new_range());
        let is_same = matches!(op, DiffOp::Equal { .. });
        let range = convert::range(source, &(starts[from.start]..starts[from.end]), encoding);
        (!is_same).then(|| json!({"range": range, "newText": new[to].concat()}))
    });
    edits.collect()
}
