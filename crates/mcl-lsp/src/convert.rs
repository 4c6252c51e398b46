//! Positions and ranges of the protocol.

use std::ops::Range;

use mcl_analysis::{Encoding, Position, Source};
use serde_json::{Value, json};

pub(crate) fn position(source: &Source, offset: u32, encoding: Encoding) -> Value {
    let Position { line, character } = source.lines.position(&source.text, offset, encoding);
    json!({"line": line, "character": character})
}

pub(crate) fn range(source: &Source, range: &Range<u32>, encoding: Encoding) -> Value {
    json!({"start": position(source, range.start, encoding), "end": position(source, range.end, encoding)})
}

pub(crate) fn offset(source: &Source, position: lsp_types::Position, encoding: Encoding) -> u32 {
    let position = Position { line: position.line, character: position.character };
    source.lines.offset(&source.text, position, encoding)
}
